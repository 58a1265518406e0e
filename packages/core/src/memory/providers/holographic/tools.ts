import { z } from 'zod'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import type { MemoryProviderTool } from '../../memory-provider.ts'
import { defineProviderTool } from '../provider-tool.ts'
import type { FactSearch } from './fact-search.ts'
import { categories } from './fact-store.ts'
import type { FactStore } from './fact-store.ts'

/** Facts below are left out of a search, unless it says otherwise. */
export const usualMinTrust = 0.3

/** Most entities that one question names. */
const maxEntities = 8

const actions = ['add', 'search', 'probe', 'related', 'reason', 'contradict', 'update', 'remove', 'list'] as const

const factInput = z.object({
  action: z.enum(actions),
  content: z.string().optional().describe('The fact: add, update'),
  query: z.string().optional().describe('search'),
  entity: z.string().optional().describe('probe, related'),
  entities: z.array(z.string()).max(maxEntities).optional().describe('reason'),
  fact_id: z.int().optional().describe('update, remove'),
  category: z.enum(categories).optional(),
  tags: z.string().optional().describe('Separated by commas'),
  trust_delta: z.number().min(-1).max(1).optional().describe('update'),
  min_trust: z.number().min(0).max(1).optional(),
  limit: z.int().min(1).max(50).default(10),
})

type FactInput = z.infer<typeof factInput>

const feedbackInput = z.object({ action: z.enum(['helpful', 'unhelpful']), fact_id: z.int() })

interface Parts {
  readonly facts: FactStore
  readonly search: FactSearch
  readonly minTrust: number
}

type Answer = Promise<Readonly<Record<string, unknown>>>

/** The tools of the facts: upstream's names, arguments and answers. */
export function factTools(parts: Parts): readonly MemoryProviderTool[] {
  return [
    defineProviderTool({
      name: 'fact_store',
      description:
        'Facts about people, projects, tools and preferences, beyond the few notes of `memory`. add: keep one that will matter. search: by words. probe: all about one entity. related: what is connected with it. reason: what is about several entities at once. contradict: facts that disagree. update, remove, list. Look here before you answer questions about the user.',
      concurrency: 'exclusive',
      input: factInput,
      run: (args, signal) => runners[args.action](args, parts, signal),
    }),
    defineProviderTool({
      name: 'fact_feedback',
      description:
        'Rate a fact of fact_store after using it: helpful if it was right, unhelpful if it was wrong or out of date. Rated facts rise or sink in later searches.',
      concurrency: 'exclusive',
      input: feedbackInput,
      async run({ action, fact_id: id }) {
        return (await parts.facts.rate(id, action)) ?? missing(id)
      },
    }),
  ]
}

const runners: Readonly<Record<FactInput['action'], (args: FactInput, parts: Parts, signal: AbortSignal) => Answer>> = {
  async add({ content, category, tags, action }, { facts }) {
    const { id, isNew } = await facts.add(needed(content, 'content', action), category ?? 'general', tags ?? '')
    return { fact_id: id, status: isNew ? 'added' : 'known' }
  },
  async search({ query, category, min_trust: minTrust, limit, action }, { facts, search, minTrust: usual }) {
    const filter = { category, minTrust: minTrust ?? usual, limit }
    const results = await search.search(needed(query, 'query', action), filter)
    await facts.countRetrieval(results.map((fact) => fact.fact_id))
    return { results, count: results.length }
  },
  async probe({ entity, category, limit, action }, { search }, signal) {
    return listed(await search.probe(needed(entity, 'entity', action), { category, limit }, signal))
  },
  async related({ entity, category, limit, action }, { search }, signal) {
    return listed(await search.related(needed(entity, 'entity', action), { category, limit }, signal))
  },
  async reason({ entities = [], category, limit }, { search }, signal) {
    const names = entities.filter((name) => name.trim() !== '')
    if (names.length === 0) throw new MemoryProviderError('invalid', 'entities is needed for action reason.')
    return listed(await search.reason(names, { category, limit }, signal))
  },
  async contradict({ category, limit }, { search }, signal) {
    return listed(await search.contradict({ category, limit }, signal))
  },
  async update({ fact_id: id, content, category, tags, trust_delta: trustDelta, action }, { facts }) {
    const wanted = needed(id, 'fact_id', action)
    return (await facts.update(wanted, { content, category, tags, trustDelta })) ? { updated: true } : missing(wanted)
  },
  async remove({ fact_id: id, action }, { facts }) {
    const wanted = needed(id, 'fact_id', action)
    return (await facts.remove(wanted)) ? { removed: true } : missing(wanted)
  },
  async list({ category, min_trust: minTrust = 0, limit }, { facts }) {
    const rows = await facts.list({ category, minTrust, limit })
    return { facts: rows.map(({ fact }) => fact), count: rows.length }
  },
}

function listed(results: readonly unknown[]) {
  return { results, count: results.length }
}

function needed<Value>(value: Value | undefined, name: string, action: string): Value {
  if (value !== undefined && value !== '') return value
  throw new MemoryProviderError('invalid', `${name} is needed for action ${action}.`)
}

function missing(id: number): never {
  throw new MemoryProviderError('invalid', `There is no fact ${id}. Find it with action search or list.`)
}
