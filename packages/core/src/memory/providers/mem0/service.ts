// Mem0's API: https://docs.mem0.ai/api-reference; the open-source server's: https://docs.mem0.ai/open-source/features/rest-api
import { z } from 'zod'
import type { ServiceRequest } from '../service-client.ts'
import { createServiceClient } from '../service-client.ts'
import type { Mem0Settings } from './settings.ts'

export interface Mem0Memory {
  readonly memory: string
  /** How well it fits what was searched for, 0 to 1, where it was searched for. */
  readonly score?: number | null
}

export interface Mem0Message {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export interface SearchOptions {
  readonly count: number
  readonly rerank: boolean
}

/** What this provider asks of Mem0, for one person. */
export interface Mem0Service {
  /** Asks whether the key is taken. */
  ping(signal: AbortSignal): Promise<void>
  /** What is remembered, newest first, at most 100. */
  list(signal: AbortSignal): Promise<readonly Mem0Memory[]>
  search(query: string, options: SearchOptions, signal: AbortSignal): Promise<readonly Mem0Memory[]>
  /** Remembers what a conversation says, or, `verbatim`, the words themselves. Mem0 works on it after it has answered. */
  add(messages: readonly Mem0Message[], how: 'inferred' | 'verbatim', signal: AbortSignal): Promise<void>
}

/** Where and how one kind of Mem0 wants to be asked. */
interface Dialect {
  readonly auth: { readonly header?: string; readonly scheme?: string }
  ping(userId: string): ServiceRequest
  list(userId: string): ServiceRequest
  search(body: object): ServiceRequest
  add(body: object): ServiceRequest
}

const maxListed = 100

const dialects: Readonly<Record<Mem0Settings['kind'], Dialect>> = {
  cloud: {
    auth: { scheme: 'Token' },
    ping: () => ({ path: '/v1/ping/' }),
    list: (userId) => ({
      method: 'POST',
      path: '/v3/memories/',
      query: { page: 1, page_size: maxListed },
      body: { filters: { user_id: userId } },
    }),
    search: (body) => ({ method: 'POST', path: '/v3/memories/search/', body }),
    add: (body) => ({ method: 'POST', path: '/v3/memories/add/', body }),
  },
  server: {
    auth: { header: 'x-api-key' },
    ping: (userId) => ({ path: '/memories', query: { user_id: userId } }),
    list: (userId) => ({ path: '/memories', query: { user_id: userId } }),
    search: (body) => ({ method: 'POST', path: '/search', body }),
    add: (body) => ({ method: 'POST', path: '/memories', body }),
  },
}

const memory = z.looseObject({ memory: z.string(), score: z.number().nullish() })
/** Older servers answer with the list alone. */
const memories = z
  .union([z.array(memory), z.looseObject({ results: z.array(memory) }).transform(({ results }) => results)])
  .transform((found): readonly Mem0Memory[] => found)

export function createMem0Service(settings: Mem0Settings, userId: string, channel: string): Mem0Service {
  const { apiKey, baseUrl, kind, agentId } = settings
  const dialect = dialects[kind]
  const client = createServiceClient({
    service: 'Mem0',
    baseUrl,
    auth: apiKey === undefined ? undefined : { ...dialect.auth, key: apiKey },
    keyHint: 'Check MEM0_API_KEY in .env.',
  })
  return {
    async ping(signal) {
      await client.call(z.looseObject({}).or(z.array(z.unknown())), dialect.ping(userId), signal)
    },
    async list(signal) {
      return (await client.call(memories, dialect.list(userId), signal)).slice(0, maxListed)
    },
    // By person alone: what one agent has learnt the others may know.
    search: (query, { count, rerank }, signal) =>
      client.call(memories, dialect.search({ query, filters: { user_id: userId }, top_k: count, rerank }), signal),
    async add(messages, how, signal) {
      const body = { messages, user_id: userId, agent_id: agentId, infer: how === 'inferred', metadata: { channel } }
      await client.call(z.unknown(), dialect.add(body), signal)
    },
  }
}
