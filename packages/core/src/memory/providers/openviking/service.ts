import { z } from 'zod'
import { createServiceClient, servicePath } from '../service-client.ts'
import type { ServiceRequest } from '../service-client.ts'
import { openVikingUrl } from './settings.ts'
import type { OpenVikingSettings } from './settings.ts'

/** Something that a search found. */
export interface FoundContext {
  readonly uri: string
  readonly type: 'memory' | 'resource' | 'skill'
  readonly score: number
  readonly abstract: string
}

export interface VikingEntry {
  readonly name: string
  readonly uri: string
  readonly type: 'dir' | 'file'
  readonly abstract?: string
}

/** How much of a thing is read: about 100 tokens, about 2,000, or everything. */
export const levels = ['abstract', 'overview', 'full'] as const
export type Level = (typeof levels)[number]

export interface FindRequest {
  readonly query: string
  readonly limit: number
  /** Only what is below this address. */
  readonly scope?: string
  /** The search takes this conversation into account, and takes longer. */
  readonly sessionId?: string
}

const hit = z.looseObject({ uri: z.string(), score: z.number().nullish(), abstract: z.string().nullish() })
const hits = z.array(hit).nullish()

const foundSchema = z.looseObject({ memories: hits, resources: hits, skills: hits }).transform((found) => {
  const kinds = [
    ['memory', found.memories],
    ['resource', found.resources],
    ['skill', found.skills],
  ] as const
  return kinds
    .flatMap(([type, all]) =>
      (all ?? []).map(({ uri, score, abstract }): FoundContext => ({
        uri,
        type,
        score: score ?? 0,
        abstract: abstract ?? '',
      })),
    )
    .sort((a, b) => b.score - a.score)
})

const entry = z
  .looseObject({
    uri: z.string(),
    name: z.string().nullish(),
    rel_path: z.string().nullish(),
    isDir: z.boolean().nullish(),
    abstract: z.string().nullish(),
  })
  .transform(({ uri, name, rel_path: path, isDir, abstract }): VikingEntry => {
    const shown = path ?? name ?? uri.replace(/\/$/, '').split('/').at(-1) ?? uri
    return { name: shown, uri, type: isDir ? 'dir' : 'file', ...(abstract && { abstract }) }
  })

/** Texts come as they are, in some versions in an object. */
const text = z.union([
  z.string(),
  z
    .looseObject({ content: z.string().nullish(), text: z.string().nullish() })
    .transform(({ content, text: plain }) => content ?? plain ?? ''),
])

const anything = z.looseObject({}).nullish()
const uploadMs = 60_000

const endpoints: Readonly<Record<Level, string>> = {
  abstract: '/api/v1/content/abstract',
  overview: '/api/v1/content/overview',
  full: '/api/v1/content/read',
}

export type OpenViking = ReturnType<typeof openOpenViking>

/**
 * OpenViking's HTTP API: https://docs.openviking.ai/en/api/01-overview. Answers are in an envelope whose `result` is
 * what counts. Calls throw `MemoryProviderError`.
 */
export function openOpenViking({ endpoint = openVikingUrl, apiKey, tenant }: OpenVikingSettings) {
  const client = createServiceClient({
    service: 'OpenViking',
    baseUrl: endpoint,
    ...(apiKey !== undefined && { auth: { header: 'x-api-key', key: apiKey } }),
    headers: tenant,
    keyHint: 'Check OPENVIKING_API_KEY in .env.',
  })
  const call = <T>(result: z.ZodType<T>, request: ServiceRequest, signal: AbortSignal) =>
    client.call(z.looseObject({ result }), request, signal).then((answer) => answer.result)

  return {
    /** Who the server takes us for. */
    user: (signal: AbortSignal) =>
      call(z.looseObject({ user: z.string().nullish() }), { path: '/api/v1/system/status' }, signal).then(
        ({ user }) => user ?? undefined,
      ),
    find({ query, limit, scope, sessionId }: FindRequest, signal: AbortSignal) {
      const body = {
        query,
        limit,
        ...(scope !== undefined && { target_uri: scope }),
        ...(sessionId !== undefined && { session_id: sessionId }),
      }
      const path = sessionId === undefined ? '/api/v1/search/find' : '/api/v1/search/search'
      return call(foundSchema, { method: 'POST', path, body }, signal)
    },
    read: (uri: string, level: Level, signal: AbortSignal) =>
      call(text, { path: endpoints[level], query: { uri } }, signal),
    list: (uri: string, how: 'ls' | 'tree', signal: AbortSignal) =>
      call(z.array(entry), { path: `/api/v1/fs/${how}`, query: { uri } }, signal),
    stat: (uri: string, signal: AbortSignal) =>
      call(z.looseObject({ isDir: z.boolean().nullish() }), { path: '/api/v1/fs/stat', query: { uri } }, signal),
    /** Adds to a session, which is made where it is not there. */
    say: (sessionId: string, role: 'user' | 'assistant', content: string, signal: AbortSignal) =>
      call(
        anything,
        { method: 'POST', path: servicePath`/api/v1/sessions/${sessionId}/messages`, body: { role, content } },
        signal,
      ),
    /** The server takes memories from what was said in a session; this goes on after the answer. */
    commit: (sessionId: string, signal: AbortSignal) =>
      call(
        z.looseObject({ status: z.string().nullish(), task_id: z.string().nullish() }).nullish(),
        { method: 'POST', path: servicePath`/api/v1/sessions/${sessionId}/commit`, body: {} },
        signal,
      ),
    /** Resolves to an id by which the file can be added as a resource. */
    async upload(name: string, content: Blob, signal: AbortSignal) {
      const body = new FormData()
      body.append('file', content, name)
      const result = z.looseObject({ temp_file_id: z.string() })
      const request = { method: 'POST', path: '/api/v1/resources/temp_upload', body, timeoutMs: uploadMs } as const
      return (await call(result, request, signal)).temp_file_id
    },
    /** Resolves to the address of the resource. */
    addResource: (resource: Readonly<Record<string, string>>, signal: AbortSignal) =>
      call(
        z.looseObject({ root_uri: z.string().nullish() }),
        { method: 'POST', path: '/api/v1/resources', body: resource, timeoutMs: uploadMs },
        signal,
      ).then(({ root_uri: uri }) => uri ?? ''),
  }
}
