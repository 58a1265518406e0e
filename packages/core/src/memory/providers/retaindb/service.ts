import { z } from 'zod'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { createServiceClient, servicePath } from '../service-client.ts'
import type { ServiceRequest } from '../service-client.ts'
import type { RetainDbSettings } from './settings.ts'

export const memoryTypes = ['factual', 'preference', 'goal', 'instruction', 'event', 'opinion'] as const
export type MemoryType = (typeof memoryTypes)[number]

/** A memory of RetainDB; `score` where it was searched for. */
export interface RetainDbMemory {
  readonly id: string | undefined
  readonly content: string
  readonly memory_type: string | undefined
  readonly score?: number
}

export interface RetainDbFile {
  readonly id: string
  readonly name: string | undefined
  readonly path: string | undefined
  readonly rdb_uri: string | undefined
  readonly mime_type: string | undefined
  readonly size: number | undefined
}

export interface SaidMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  /** ISO 8601. */
  readonly timestamp: string
}

export interface SaidTurn {
  readonly userId: string
  readonly sessionId: string
  readonly messages: readonly SaidMessage[]
  /** The same turn under the same key is taken once. */
  readonly key: string
}

const optional = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined)

const plainMemory = z
  .looseObject({ id: optional, content: z.string(), memory_type: optional, score: z.number().nullish() })
  .transform(({ id, content, memory_type, score }): RetainDbMemory => {
    return { id, content, memory_type, ...(typeof score === 'number' && { score }) }
  })

/** A result of a search is a memory beside its score, in older answers the memory itself. */
const foundMemory = z.union([
  z
    .looseObject({ memory: plainMemory, score: z.number().nullish() })
    .transform(({ memory, score }): RetainDbMemory => ({ ...memory, ...(typeof score === 'number' && { score }) })),
  plainMemory,
])

/** What is found of documents may have another form than memories: it is left out. */
const results = z.array(foundMemory.or(z.unknown().transform(() => undefined))).nullish()
const found = z.looseObject({ results }).transform(({ results: all }) => (all ?? []).filter((one) => one !== undefined))
const kept = z.looseObject({ memories: z.array(plainMemory).nullish() }).transform(({ memories }) => memories ?? [])
const anything = z.looseObject({}).or(z.undefined())

const written = z
  .looseObject({ id: optional, memory_id: optional, memory: z.looseObject({ id: optional }).nullish() })
  .transform(({ id, memory_id: memoryId, memory }) => memoryId ?? id ?? memory?.id)

const file = z
  .looseObject({
    id: z.string(),
    name: optional,
    path: optional,
    rdb_uri: optional,
    mime_type: optional,
    size: z.number().nullish(),
  })
  .transform(({ id, name, path, rdb_uri, mime_type, size }): RetainDbFile => {
    return { id, name, path, rdb_uri, mime_type, size: size ?? undefined }
  })

const answer = z.looseObject({ answer: optional }).transform((said) => said.answer ?? '')

const selfModel = z
  .looseObject({
    memory_count: z.number().nullish(),
    persona: optional,
    persistent_instructions: z.array(z.string()).nullish(),
    working_style: optional,
  })
  .transform((model) => ((model.memory_count ?? 0) > 0 ? model : undefined))

export type AgentModel = NonNullable<z.infer<typeof selfModel>>

/** How quickly an answer is wanted, ms. */
const timeouts = { read: 8_000, write: 5_000, ingest: 15_000, ingestFile: 60_000, upload: 30_000 }

export type RetainDb = ReturnType<typeof openRetainDb>

/**
 * RetainDB's API: https://www.retaindb.com/docs/api. Calls throw `MemoryProviderError`. Deployments without the newer
 * routes of memories (404) are asked by the older ones.
 */
export function openRetainDb({ apiKey = '', baseUrl, project, userId, agentId }: RetainDbSettings) {
  const client = createServiceClient({
    service: 'RetainDB',
    baseUrl,
    auth: { scheme: 'Bearer', key: apiKey },
    headers: { 'x-sdk-runtime': 'hermes-plugin' },
    keyHint: 'Check RETAINDB_API_KEY in .env.',
    timeoutMs: timeouts.read,
  })
  const scoped = (sessionId: string) => ({ project, user_id: userId, session_id: sessionId })

  /** Tries the request, and the older one where the service has no such route or thing. */
  async function either<T>(schema: z.ZodType<T>, newer: ServiceRequest, older: ServiceRequest, signal: AbortSignal) {
    try {
      return await client.call(schema, newer, signal)
    } catch (error) {
      if (!(error instanceof MemoryProviderError) || error.status !== 404) throw error
      return client.call(schema, older, signal)
    }
  }

  return {
    /** Everything that is known of the person. */
    profile: (signal: AbortSignal) =>
      either(
        kept,
        { path: servicePath`/v1/memory/profile/${userId}`, query: { project, include_pending: true } },
        { path: '/v1/memories', query: { project, user_id: userId, limit: 200 } },
        signal,
      ),
    search: (sessionId: string, query: string, topK: number, signal: AbortSignal) =>
      client.call(
        found,
        {
          method: 'POST',
          path: '/v1/memory/search',
          body: { ...scoped(sessionId), query, top_k: topK, include_pending: true },
        },
        signal,
      ),
    context: (sessionId: string, query: string, signal: AbortSignal) =>
      client.call(
        found,
        {
          method: 'POST',
          path: '/v1/context/query',
          body: { ...scoped(sessionId), query, include_memories: true, max_tokens: 1200 },
        },
        signal,
      ),
    /** Resolves to the memory's id, where the service tells it. */
    remember(
      sessionId: string,
      {
        content,
        type,
        importance,
      }: { readonly content: string; readonly type: MemoryType; readonly importance: number },
      signal: AbortSignal,
    ) {
      const body = { ...scoped(sessionId), content, memory_type: type, importance }
      const shared = { method: 'POST', timeoutMs: timeouts.write } as const
      return either(
        written,
        { ...shared, path: '/v1/memory', body: { ...body, write_mode: 'sync' } },
        { ...shared, path: '/v1/memories', body },
        signal,
      )
    },
    forget(memoryId: string, signal: AbortSignal) {
      const shared = { method: 'DELETE', timeoutMs: timeouts.write } as const
      return either(
        anything,
        { ...shared, path: servicePath`/v1/memory/${memoryId}` },
        { ...shared, path: servicePath`/v1/memories/${memoryId}` },
        signal,
      )
    },
    ingest(turn: SaidTurn, signal: AbortSignal) {
      const { sessionId, messages, key } = turn
      const body = { project, user_id: turn.userId, session_id: sessionId, messages, write_mode: 'sync' }
      const headers = { 'idempotency-key': key }
      const path = '/v1/memory/ingest/session'
      return client.call(anything, { method: 'POST', path, body, headers, timeoutMs: timeouts.ingest }, signal)
    },
    /** What RetainDB's own model makes of a question about the person. */
    ask(query: string, reasoningLevel: 'low' | 'medium' | 'high', signal: AbortSignal) {
      const body = { project, query, reasoning_level: reasoningLevel }
      return client.call(answer, { method: 'POST', path: servicePath`/v1/memory/profile/${userId}/ask`, body }, signal)
    },
    /** What is known of the agent itself; undefined where nothing is. */
    agentModel: (signal: AbortSignal) =>
      client.call(selfModel, { path: servicePath`/v1/memory/agent/${agentId}/model`, query: { project } }, signal),
    files: {
      upload(form: FormData, signal: AbortSignal) {
        const request: ServiceRequest = { method: 'POST', path: '/v1/files', body: form, timeoutMs: timeouts.upload }
        return client.call(z.looseObject({ file }), request, signal).then((said) => said.file)
      },
      list: (prefix: string | undefined, limit: number, signal: AbortSignal) =>
        client
          .call(
            z.looseObject({ files: z.array(file).nullish() }),
            { path: '/v1/files', query: { limit, prefix } },
            signal,
          )
          .then(({ files }) => files ?? []),
      get: (id: string, signal: AbortSignal) =>
        client.call(z.looseObject({ file }), { path: servicePath`/v1/files/${id}` }, signal).then((said) => said.file),
      ingest: (id: string, signal: AbortSignal) =>
        client.call(
          anything,
          {
            method: 'POST',
            path: servicePath`/v1/files/${id}/ingest`,
            body: { user_id: userId, agent_id: agentId },
            timeoutMs: timeouts.ingestFile,
          },
          signal,
        ),
      remove: (id: string, signal: AbortSignal) =>
        client.call(
          anything,
          { method: 'DELETE', path: servicePath`/v1/files/${id}`, timeoutMs: timeouts.write },
          signal,
        ),
    },
  }
}
