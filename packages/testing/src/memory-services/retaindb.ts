// RetainDB's API v1: https://www.retaindb.com/docs/api/memory, .../errors, .../memory-search. Its routes for files, the
// synthesis of a profile and the agent's own memories are as its client for agents uses them.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isBearer } from './fast-api.ts'
import { factsIn, ranked } from './relevance.ts'
import { bareRoute, ok, route, startStandIn } from './stand-in.ts'
import type { Reply, Route, StandInService, UploadedFile } from './stand-in.ts'

export interface StandInMemory {
  readonly id: string
  readonly project: string
  readonly user_id: string
  readonly session_id: string | undefined
  readonly content: string
  readonly memory_type: string
}

export interface StandInFile {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly scope: string
  readonly mime_type: string
  readonly size: number
  readonly rdb_uri: string
  readonly bytes: Uint8Array
}

/** A stand-in of RetainDB. */
export interface StandInRetainDb extends StandInService {
  readonly key: string
  readonly memories: readonly StandInMemory[]
  readonly files: readonly StandInFile[]
  /** Only the older routes of memories are there from now on. */
  withOlderRoutesOnly(): void
  /** The content of files is elsewhere from now on: requests for it are sent there. */
  keepFilesAt(url: string): void
}

const scope = { project: z.string(), user_id: z.string(), session_id: z.string().optional() }
const query = { ...scope, query: z.string().min(1) }
const newMemory = z.looseObject({
  ...scope,
  content: z.string().min(1),
  memory_type: z.enum(['factual', 'preference', 'goal', 'instruction', 'event', 'opinion']).default('factual'),
  importance: z.number().min(0).max(1).optional(),
  write_mode: z.enum(['sync', 'async']).optional(),
})
const transcript = z.looseObject({
  ...scope,
  messages: z
    .array(
      z.object({
        role: z.enum(['user', 'assistant']),
        content: z.string(),
        timestamp: z.iso.datetime({ offset: true }),
      }),
    )
    .min(1),
})
const upload = z.looseObject({
  file: z.custom<UploadedFile>((value) => typeof value === 'object' && value !== null && 'bytes' in value),
  path: z.string().startsWith('/'),
  scope: z.enum(['USER', 'PROJECT', 'ORG']),
})

/** Starts a stand-in that takes one key. */
export async function startRetainDb(): Promise<StandInRetainDb> {
  const key = 'rdb_made-up-key-of-retaindb'
  let memories: readonly StandInMemory[] = []
  let files: readonly StandInFile[] = []
  const taken = new Set<string>()
  let isOlder = false
  let elsewhere: string | undefined

  const keep = (memory: Omit<StandInMemory, 'id'>): StandInMemory => {
    const kept = { id: `mem_${randomUUID()}`, ...memory }
    memories = [...memories, kept]
    return kept
  }
  const of = (asked: { readonly project?: string | null; readonly user_id?: string | null }) =>
    memories.filter(({ project, user_id: user }) => project === asked.project && user === asked.user_id)
  const shown = ({ id, content, memory_type }: StandInMemory) => ({ id, content, memory_type })
  const newer = (reply: () => Reply): Reply => (isOlder ? failed(404, 'NOT_FOUND', 'No such route') : reply())
  const written = (body: z.infer<typeof newMemory>): Reply => {
    const { project, user_id, session_id, content, memory_type } = body
    const { id } = keep({ project, user_id, session_id, content, memory_type })
    return ok({ success: true, mode: body.write_mode ?? 'sync', memory_id: id, trace_id: 'trc_1' })
  }
  const removed = (id: string | undefined): Reply => {
    if (!memories.some((memory) => memory.id === id)) return failed(404, 'NOT_FOUND', 'Memory not found')
    memories = memories.filter((memory) => memory.id !== id)
    return ok({ success: true, deleted: id })
  }
  const withFile = (id: string | undefined, reply: (file: StandInFile) => Reply): Reply => {
    const file = files.find((one) => one.id === id)
    return file ? reply(file) : failed(404, 'NOT_FOUND', 'File not found')
  }

  const routes: readonly Route[] = [
    route(
      'POST',
      '/v1/memory/search',
      z.looseObject({ ...query, top_k: z.int().min(1).max(50).default(8) }),
      ({ body }) => {
        const found = ranked(body.query, of(body), ({ content }) => content).slice(0, body.top_k)
        const results = found.map(({ item, score }) => ({ memory: shown(item), score }))
        return ok({ results, count: results.length, trace_id: 'trc_1' })
      },
    ),
    route('POST', '/v1/context/query', z.looseObject(query), ({ body }) => {
      const found = ranked(body.query, of(body), ({ content }) => content)
      // What is known of documents has a form of its own.
      const results = [...found.map(({ item, score }) => ({ ...shown(item), score })), { chunk: { source: 'docs' } }]
      return ok({ results, meta: { total: results.length } })
    }),
    route('POST', '/v1/memory', newMemory, ({ body }) => newer(() => written(body))),
    route('POST', '/v1/memories', newMemory, ({ body }) => written(body)),
    route('POST', '/v1/memory/ingest/session', transcript, ({ body, headers }) => {
      const once = headers['idempotency-key']
      if (typeof once === 'string' && taken.has(once)) return ok({ success: true, memories_created: 0 })
      if (typeof once === 'string') taken.add(once)
      const said = body.messages.filter(({ role }) => role === 'user').flatMap(({ content }) => factsIn(content))
      for (const content of said) keep({ ...body, session_id: body.session_id, content, memory_type: 'factual' })
      return ok({ success: true, memories_created: said.length, trace_id: 'trc_1' })
    }),
    bareRoute('GET', '/v1/memory/profile/:user', ({ params, query: asked }) =>
      newer(() => ok({ memories: of({ project: asked.get('project'), user_id: params['user'] ?? '' }).map(shown) })),
    ),
    bareRoute('GET', '/v1/memories', ({ query: asked }) =>
      ok({ memories: of({ project: asked.get('project'), user_id: asked.get('user_id') }).map(shown) }),
    ),
    bareRoute('DELETE', '/v1/memory/:id', ({ params }) => newer(() => removed(params['id']))),
    bareRoute('DELETE', '/v1/memories/:id', ({ params }) => removed(params['id'])),
    route('POST', '/v1/memory/profile/:user/ask', z.looseObject({ project: z.string(), query: z.string() }), () =>
      ok({ answer: memories.length === 0 ? '' : 'Somebody who tells of themselves.' }),
    ),
    bareRoute('GET', '/v1/memory/agent/:agent/model', () =>
      ok({ memory_count: 1, persona: 'Helps.', persistent_instructions: [] }),
    ),
    route('POST', '/v1/files', upload, ({ body }) => {
      const { file, path, scope: wanted } = body
      const id = `file_${randomUUID()}`
      const stored = { id, name: file.name, path, scope: wanted, mime_type: file.type, size: file.bytes.length }
      files = [...files, { ...stored, rdb_uri: `rdb:/${path}`, bytes: file.bytes }]
      return ok({ file: { ...stored, rdb_uri: `rdb:/${path}` } })
    }),
    bareRoute('GET', '/v1/files', ({ query: asked }) => {
      const prefix = asked.get('prefix') ?? ''
      const found = files.filter(({ path }) => path.startsWith(prefix)).slice(0, Number(asked.get('limit') ?? 50))
      return ok({ files: found.map(({ bytes, ...file }) => ({ ...file, size: bytes.length })) })
    }),
    bareRoute('GET', '/v1/files/:id', ({ params }) =>
      withFile(params['id'], ({ bytes, ...file }) => ok({ file: { ...file, size: bytes.length } })),
    ),
    bareRoute('GET', '/v1/files/:id/content', ({ params }) =>
      withFile(params['id'], ({ bytes, mime_type }): Reply =>
        elsewhere === undefined
          ? { status: 200, body: bytes, headers: { 'content-type': mime_type } }
          : { status: 302, headers: { location: elsewhere } },
      ),
    ),
    route(
      'POST',
      '/v1/files/:id/ingest',
      z.looseObject({ user_id: z.string(), agent_id: z.string() }),
      ({ params, body }) =>
        withFile(params['id'], ({ bytes }) => {
          const facts = factsIn(new TextDecoder().decode(bytes))
          for (const content of facts) {
            keep({ project: 'default', user_id: body.user_id, session_id: undefined, content, memory_type: 'factual' })
          }
          return ok({ status: 'completed', memories_created: facts.length })
        }),
    ),
    bareRoute('DELETE', '/v1/files/:id', ({ params }) =>
      withFile(params['id'], ({ id }) => {
        files = files.filter((file) => file.id !== id)
        return ok({ deleted: true })
      }),
    ),
  ]
  const service = await startStandIn(routes, {
    authorize: (headers) =>
      isBearer(headers, key) ? undefined : failed(401, 'UNAUTHORIZED', 'Missing API key or Authorization header'),
    notFound: failed(404, 'NOT_FOUND', 'No such route'),
    invalid: (error) => failed(400, 'VALIDATION_ERROR', z.prettifyError(error)),
  })
  return {
    ...service,
    key,
    get memories() {
      return memories
    },
    get files() {
      return files
    },
    withOlderRoutesOnly() {
      isOlder = true
    },
    keepFilesAt(url) {
      elsewhere = url
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function failed(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message }, trace_id: 'trc_1' } }
}
