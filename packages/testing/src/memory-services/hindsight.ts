// Hindsight's API as its reference and its own client describe it: https://hindsight.vectorize.io/api-reference. A bank
// makes itself when it is first used. What is kept asynchronously is there when its operation is completed; a document
// that is kept again takes the place of the one with its id, or goes on with it (`append`).
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { fastApiManners, refused } from './fast-api.ts'
import { factsIn, ranked } from './relevance.ts'
import type { Route, StandInService } from './stand-in.ts'
import { bareRoute, ok, route, startStandIn } from './stand-in.ts'

export interface HindsightFact {
  readonly id: string
  readonly text: string
  readonly type: 'world' | 'experience' | 'observation'
  readonly context: string | null
  readonly document_id: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>> | null
  readonly mentioned_at: string | null
}

export interface HindsightBank {
  facts: readonly HindsightFact[]
  mission: string
}

/** A stand-in of Hindsight. */
export interface StandInHindsight extends StandInService {
  readonly key: string
  readonly banks: ReadonlyMap<string, HindsightBank>
  /** Resolves when everything that was sent has been worked on. */
  settle(): Promise<void>
}

const budget = z.enum(['low', 'mid', 'high']).default('mid')
const tagged = {
  tags: z.array(z.string()).nullish(),
  tags_match: z.enum(['any', 'all', 'any_strict', 'all_strict', 'exact']).default('any'),
}
const itemBody = z.object({
  content: z.string().min(1),
  timestamp: z.string().nullish(),
  context: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  document_id: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  update_mode: z.enum(['replace', 'append']).nullish(),
})
const retainBody = z.object({ items: z.array(itemBody).min(1), async: z.boolean().default(false) })
const recallBody = z.object({
  query: z.string().min(1),
  types: z.array(z.enum(['world', 'experience', 'observation'])).nullish(),
  budget,
  max_tokens: z.int().min(1).default(4096),
  ...tagged,
})
const reflectBody = z.object({ query: z.string().min(1), budget, ...tagged })
const bankBody = z.object({
  name: z.string().nullish(),
  mission: z.string().nullish(),
  reflect_mission: z.string().nullish(),
  retain_mission: z.string().nullish(),
})

export async function startHindsight(key = 'hsk-stand-in-key'): Promise<StandInHindsight> {
  const banks = new Map<string, HindsightBank>()
  const operations = new Map<string, 'pending' | 'completed'>()

  const bankOf = ({ bank = '' }: Readonly<Record<string, string>>): HindsightBank => {
    const known = banks.get(bank)
    if (known) return known
    const made: HindsightBank = { facts: [], mission: '' }
    banks.set(bank, made)
    return made
  }

  const keep = (bank: HindsightBank, items: readonly z.infer<typeof itemBody>[]) => {
    for (const item of items) {
      const document = item.document_id ?? randomUUID()
      const made = factsIn(item.content).map((text): HindsightFact => ({
        id: randomUUID(),
        text,
        type: /^assistant:/i.test(text) ? 'experience' : 'world',
        context: item.context ?? null,
        document_id: document,
        tags: item.tags ?? [],
        metadata: item.metadata ?? null,
        mentioned_at: item.timestamp ?? null,
      }))
      const others = bank.facts.filter(({ document_id }) => document_id !== document || item.update_mode === 'append')
      bank.facts = [...others, ...made]
    }
  }

  const matching = (bank: HindsightBank, { query, tags, tags_match }: z.infer<typeof reflectBody>) => {
    const allowed = bank.facts.filter((fact) => {
      if (!tags || tags.length === 0) return true
      if (fact.tags.length === 0) return tags_match === 'any' || tags_match === 'all'
      const has = (tag: string) => fact.tags.includes(tag)
      return tags_match.startsWith('all') ? tags.every(has) : tags.some(has)
    })
    return ranked(query, allowed, ({ text }) => text).map(({ item }) => item)
  }

  const routes: readonly Route[] = [
    bareRoute('GET', '/version', () => ok({ api_version: '0.9.1', features: {} })),
    bareRoute('GET', '/v1/default/banks', () =>
      ok({ banks: [...banks].map(([bank_id, { mission }]) => ({ bank_id, name: bank_id, mission })) }),
    ),
    route('PUT', '/v1/default/banks/:bank', bankBody, ({ params, body }) => {
      const bank = bankOf(params)
      bank.mission = body.reflect_mission ?? body.mission ?? bank.mission
      const disposition = { skepticism: 3, literalism: 3, empathy: 3 }
      return ok({ bank_id: params['bank'], name: body.name ?? params['bank'], mission: bank.mission, disposition })
    }),
    route('POST', '/v1/default/banks/:bank/memories', retainBody, ({ params, body }) => {
      const bank = bankOf(params)
      const answer = { success: true, bank_id: params['bank'], items_count: body.items.length, async: body.async }
      if (!body.async) {
        keep(bank, body.items)
        return ok({ ...answer, usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } })
      }
      const operation = randomUUID()
      operations.set(operation, 'pending')
      setImmediate(() => {
        keep(bank, body.items)
        operations.set(operation, 'completed')
      })
      return ok({ ...answer, operation_id: operation })
    }),
    route('POST', '/v1/default/banks/:bank/memories/recall', recallBody, ({ params, body }) => {
      const found = matching(bankOf(params), body).filter(({ type }) => !body.types || body.types.includes(type))
      let tokens = 0
      const fitting = found.filter(({ text }) => (tokens += Math.ceil(text.length / 4)) <= body.max_tokens)
      return ok({ results: fitting })
    }),
    route('POST', '/v1/default/banks/:bank/reflect', reflectBody, ({ params, body }) => {
      const found = matching(bankOf(params), body)
      const text = found.length === 0 ? '' : `From memory: ${found.map((fact) => fact.text).join(' ')}`
      return ok({ text, usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } })
    }),
    bareRoute('GET', '/v1/default/banks/:bank/operations/:operation', ({ params }) => {
      const status = operations.get(params['operation'] ?? '')
      return status ? ok({ operation_id: params['operation'], status }) : refused(404, 'Operation not found')
    }),
  ]

  const service = await startStandIn(routes, fastApiManners(key))
  return Object.assign(service, {
    key,
    banks,
    async settle() {
      while ([...operations.values()].includes('pending')) await new Promise((resolve) => setImmediate(resolve))
    },
  })
}
