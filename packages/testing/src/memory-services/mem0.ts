// Mem0's API as its reference and its own client describe it: https://docs.mem0.ai/api-reference. Adding answers with an
// event; the facts are there when the event has SUCCEEDED. The open-source server has other paths and works at once.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { refused } from './fast-api.ts'
import { factsIn, ranked } from './relevance.ts'
import type { Reply, Route, StandInService } from './stand-in.ts'
import { bareRoute, ok, route, startStandIn } from './stand-in.ts'

export interface Mem0Memory {
  readonly id: string
  readonly memory: string
  readonly user_id: string | null
  readonly agent_id: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly categories: readonly string[]
  readonly created_at: string
  readonly updated_at: string
}

/** A stand-in of Mem0. */
export interface StandInMem0 extends StandInService {
  readonly key: string
  readonly memories: readonly Mem0Memory[]
  /** Resolves when everything that was added has been worked on. */
  settle(): Promise<void>
}

export interface Mem0Options {
  /** The service in the cloud (default), or the open-source server. */
  readonly kind?: 'cloud' | 'server'
  readonly key?: string
}

const entity = z.string().min(1).nullish()
const addBody = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.string() })).min(1),
  user_id: entity,
  agent_id: entity,
  app_id: entity,
  run_id: entity,
  infer: z.boolean().default(true),
  metadata: z.record(z.string(), z.unknown()).nullish(),
})
const filters = z.record(z.string(), z.unknown())
const searchBody = z.object({
  query: z.string().min(1),
  filters,
  top_k: z.int().min(1).max(1000).default(10),
  threshold: z.number().min(0).max(1).default(0.1),
  rerank: z.boolean().default(false),
})

const entities = ['user_id', 'agent_id', 'app_id', 'run_id']

export async function startMem0({ kind = 'cloud', key = 'm0-stand-in-key' }: Mem0Options = {}): Promise<StandInMem0> {
  const memories: Mem0Memory[] = []
  const events = new Map<string, 'PENDING' | 'SUCCEEDED'>()

  const remember = (body: z.infer<typeof addBody>) => {
    const facts = body.infer
      ? body.messages.filter(({ role }) => role === 'user').flatMap(({ content }) => factsIn(content))
      : body.messages.map(({ content }) => content)
    const made = facts
      .filter((fact) => !memories.some(({ memory, user_id }) => memory === fact && user_id === (body.user_id ?? null)))
      .map((memory): Mem0Memory => {
        const now = new Date().toISOString()
        return {
          id: randomUUID(),
          memory,
          user_id: body.user_id ?? null,
          agent_id: body.agent_id ?? null,
          metadata: body.metadata ?? null,
          categories: [],
          created_at: now,
          updated_at: now,
        }
      })
    memories.push(...made)
    return made.map(({ id, memory }) => ({ id, memory, event: 'ADD' }))
  }

  const add = (body: z.infer<typeof addBody>): Reply => {
    if (!body.user_id && !body.agent_id && !body.app_id && !body.run_id) {
      return refused(400, 'At least one of user_id, agent_id, app_id, run_id must be given.')
    }
    if (kind === 'server') return ok({ results: remember(body) })
    const event = randomUUID()
    events.set(event, 'PENDING')
    setImmediate(() => {
      remember(body)
      events.set(event, 'SUCCEEDED')
    })
    return ok({
      message: 'Memory processing has been queued for background execution',
      status: 'PENDING',
      event_id: event,
    })
  }

  /** Newest first. Undefined when the filters name nobody. */
  const filtered = (wanted: Readonly<Record<string, unknown>>): readonly Mem0Memory[] | undefined => {
    const named = Object.entries(wanted).filter(([name]) => entities.includes(name))
    if (named.length === 0) return undefined
    return memories.filter((each) => named.every(([name, value]) => Reflect.get(each, name) === value)).toReversed()
  }
  const nobody = refused(400, 'filters must name at least one of user_id, agent_id, app_id, run_id.')

  const search = ({ query, filters: wanted, top_k, threshold }: z.infer<typeof searchBody>): Reply => {
    const all = filtered(wanted)
    if (!all) return nobody
    const found = ranked(query, all, ({ memory }) => memory).filter(({ score }) => score >= threshold)
    return ok({ results: found.slice(0, top_k).map(({ item, score }) => ({ ...item, score })) })
  }

  const one = (id: string | undefined, answer: (memory: Mem0Memory, index: number) => Reply): Reply => {
    const index = memories.findIndex((memory) => memory.id === id)
    const memory = memories[index]
    return memory ? answer(memory, index) : refused(404, 'Memory not found.')
  }

  const cloud: readonly Route[] = [
    bareRoute('GET', '/v1/ping/', () =>
      ok({ status: 'ok', org_id: 'org-1', project_id: 'proj-1', user_email: 'ann@example.org' }),
    ),
    route('POST', '/v3/memories/add/', addBody, ({ body }) => add(body)),
    route('POST', '/v3/memories/search/', searchBody, ({ body }) => search(body)),
    route('POST', '/v3/memories/', z.object({ filters: filters.default({}) }), ({ body, query }) => {
      const all = filtered(body.filters)
      if (!all) return nobody
      const size = Number(query.get('page_size') ?? 100)
      const from = (Number(query.get('page') ?? 1) - 1) * size
      return ok({ count: all.length, next: null, previous: null, results: all.slice(from, from + size) })
    }),
    bareRoute('GET', '/v1/memories/:id/', ({ params }) => one(params['id'], ok)),
    bareRoute('DELETE', '/v1/memories/:id/', ({ params }) =>
      one(params['id'], (_, index) => {
        memories.splice(index, 1)
        return ok({ message: 'Memory deleted successfully!' })
      }),
    ),
    bareRoute('GET', '/v1/event/:id/', ({ params }) => {
      const status = events.get(params['id'] ?? '')
      return status ? ok({ id: params['id'], event_type: 'ADD', status }) : refused(404, 'Event not found.')
    }),
  ]
  const server: readonly Route[] = [
    route('POST', '/memories', addBody, ({ body }) => add(body)),
    bareRoute('GET', '/memories', ({ query }) => {
      const all = filtered(Object.fromEntries(query))
      return all ? ok({ results: all }) : refused(400, 'At least one identifier is required.')
    }),
    route('POST', '/search', searchBody, ({ body }) => search(body)),
  ]

  const hasKey = (headers: IncomingMessage['headers']) =>
    kind === 'cloud' ? headers.authorization === `Token ${key}` : headers['x-api-key'] === key
  const service = await startStandIn(kind === 'cloud' ? cloud : server, {
    authorize: (headers) => (hasKey(headers) ? undefined : refused(401, 'Given token not valid for any token type')),
    notFound: refused(404, 'Not found.'),
    invalid: (error) => ({ status: 400, body: { detail: z.prettifyError(error) } }),
  })
  return Object.assign(service, {
    key,
    memories,
    async settle() {
      while ([...events.values()].includes('PENDING')) await new Promise((resolve) => setImmediate(resolve))
    },
  })
}
