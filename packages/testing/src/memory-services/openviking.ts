// OpenViking's HTTP API: https://docs.openviking.ai/en/api/01-overview, with its envelope, its error codes and its tree
// of folders. Memories are taken from a session when it is committed, as the server's own extraction does.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isBearer } from './fast-api.ts'
import { factsIn, ranked } from './relevance.ts'
import { bareRoute, route, startStandIn } from './stand-in.ts'
import type { Question, Reply, Route, StandInService, UploadedFile } from './stand-in.ts'

export interface StandInVikingSession {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly commits: number
}

/** A stand-in of OpenViking. */
export interface StandInOpenViking extends StandInService {
  readonly key: string
  /** Files by their address. */
  readonly files: ReadonlyMap<string, string>
  readonly sessions: ReadonlyMap<string, StandInVikingSession>
  put(uri: string, text: string): void
}

const message = z.looseObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1) })
const search = z.looseObject({
  query: z.string().min(1),
  target_uri: z.string().default(''),
  limit: z.int().min(1).default(10),
})
const resource = z
  .looseObject({ path: z.string().optional(), temp_file_id: z.string().optional(), source_name: z.string().optional() })
  .refine(({ path, temp_file_id: id }) => (path === undefined) !== (id === undefined), 'Give path or temp_file_id')
  .refine(({ path = 'https://' }) => /^(?:https?|git|ssh):\/\/|^git@/.test(path), 'Paths of this host are not accepted')
const upload = z.looseObject({
  file: z.custom<UploadedFile>((value) => typeof value === 'object' && value !== null && 'bytes' in value),
})

/** Starts a stand-in; one without keys takes everybody who says who they are, as in its local mode. */
export async function startOpenViking({ hasKeys = true } = {}): Promise<StandInOpenViking> {
  const key = 'made-up-key-of-openviking'
  const files = new Map<string, string>()
  const sessions = new Map<string, StandInVikingSession>()
  const uploads = new Map<string, UploadedFile>()

  const userOf = ({ headers }: Pick<Question, 'headers'>) => String(headers['x-openviking-user'] ?? 'ann')
  const below = (uri: string) => {
    const folder = uri === 'viking://' ? uri : `${uri.replace(/\/$/, '')}/`
    return [...files]
      .filter(([at]) => at.startsWith(folder))
      .map(([at, text]) => ({ at, text, rest: at.slice(folder.length) }))
  }
  const isFolder = (uri: string) => uri === 'viking://' || below(uri).length > 0
  const notFound = (uri: string) => failed(404, 'NOT_FOUND', `Resource not found: ${uri}`)

  const find = (question: Question<z.infer<typeof search>>): Reply => {
    const { query, target_uri: target, limit } = question.body
    const inScope = [...files].filter(([uri]) => uri.startsWith(target))
    const found = ranked(query, inScope, ([, text]) => text)
      .slice(0, limit)
      .map(({ item: [uri, text], score }) => ({
        uri,
        score,
        level: 2,
        abstract: text.slice(0, 256),
        context_type: uri.includes('/memories/') ? 'memory' : 'resource',
      }))
    const of = (type: string) => found.filter(({ context_type: own }) => own === type)
    return done({ memories: of('memory'), resources: of('resource'), skills: [], total: found.length })
  }

  const summary = (chars: number) => (question: Question) => {
    const uri = question.query.get('uri') ?? ''
    if (files.has(uri)) return failed(412, 'FAILED_PRECONDITION', `${uri} is not a directory`)
    const all = below(uri)
    if (all.length === 0) return notFound(uri)
    return done(
      all
        .map(({ rest, text }) => `${rest}: ${text}`)
        .join('\n')
        .slice(0, chars),
    )
  }

  const list = (isDeep: boolean) => (question: Question) => {
    const uri = question.query.get('uri') ?? ''
    if (!isFolder(uri)) return notFound(uri)
    const entries = new Map<string, unknown>()
    for (const { at, rest, text } of below(uri)) {
      const [first = ''] = rest.split('/')
      const isDir = !isDeep && rest.includes('/')
      const name = isDeep ? rest : first
      const own = isDir ? at.slice(0, at.length - rest.length + first.length) : at
      entries.set(name, { ...(isDeep ? { rel_path: name } : { name }), isDir, size: text.length, uri: own })
    }
    return done([...entries.values()])
  }

  const routes: readonly Route[] = [
    bareRoute('GET', '/health', () => ({ status: 200, body: { status: 'ok' } })),
    bareRoute('GET', '/api/v1/system/status', (question) => done({ initialized: true, user: userOf(question) })),
    route('POST', '/api/v1/search/find', search, find),
    route('POST', '/api/v1/search/search', search.extend({ session_id: z.string() }), find),
    bareRoute('GET', '/api/v1/content/abstract', summary(200)),
    bareRoute('GET', '/api/v1/content/overview', summary(8_000)),
    bareRoute('GET', '/api/v1/content/read', ({ query }) => {
      const uri = query.get('uri') ?? ''
      const text = files.get(uri)
      if (text !== undefined) return done(text)
      return isFolder(uri) ? failed(400, 'INVALID_ARGUMENT', `${uri} is a directory`) : notFound(uri)
    }),
    bareRoute('GET', '/api/v1/fs/ls', list(false)),
    bareRoute('GET', '/api/v1/fs/tree', list(true)),
    bareRoute('GET', '/api/v1/fs/stat', ({ query }) => {
      const uri = query.get('uri') ?? ''
      const text = files.get(uri)
      if (text !== undefined) return done({ name: uri.split('/').at(-1), size: text.length, isDir: false, uri })
      return isFolder(uri) ? done({ name: uri, isDir: true, uri, count: below(uri).length }) : notFound(uri)
    }),
    route('POST', '/api/v1/sessions/:id/messages', message, ({ params, body }) => {
      const id = params['id'] ?? ''
      const { messages, commits } = sessions.get(id) ?? { messages: [], commits: 0 }
      sessions.set(id, { messages: [...messages, body], commits })
      return done({ session_id: id, message_count: messages.length + 1 })
    }),
    route('POST', '/api/v1/sessions/:id/commit', z.looseObject({}), (question) => {
      const id = question.params['id'] ?? ''
      const session = sessions.get(id)
      if (!session) return failed(404, 'NOT_FOUND', `Session not found: ${id}`)
      const said = session.messages.filter(({ role }) => role === 'user').flatMap(({ content }) => factsIn(content))
      for (const fact of said)
        files.set(`viking://user/${userOf(question)}/memories/events/mem_${randomUUID()}.md`, fact)
      sessions.set(id, { messages: [], commits: session.commits + 1 })
      return done({ session_id: id, status: 'accepted', task_id: randomUUID(), archived: true })
    }),
    route('POST', '/api/v1/resources/temp_upload', upload, ({ body }) => {
      const id = `upload_${randomUUID()}`
      uploads.set(id, body.file)
      return done({ temp_file_id: id })
    }),
    route('POST', '/api/v1/resources', resource, ({ body }) => {
      const { path, temp_file_id: id = '', source_name: name } = body
      const file = uploads.get(id)
      if (path === undefined && !file) return failed(400, 'INVALID_ARGUMENT', 'No such upload')
      const uri = `viking://resources/${name ?? path?.split('/').at(-1)}`
      files.set(uri, file ? new TextDecoder().decode(file.bytes) : `What is at ${path}`)
      return done({ status: 'success', root_uri: uri, errors: [] })
    }),
  ]
  const service = await startStandIn(routes, {
    authorize(headers) {
      if (hasKeys) {
        const isKnown = headers['x-api-key'] === key || isBearer(headers, key)
        return isKnown ? undefined : failed(401, 'UNAUTHENTICATED', 'Missing or invalid API key')
      }
      const isNamed = headers['x-openviking-account'] !== undefined && headers['x-openviking-user'] !== undefined
      return isNamed
        ? undefined
        : failed(400, 'INVALID_ARGUMENT', 'Requests must include X-OpenViking-Account and X-OpenViking-User')
    },
    notFound: failed(404, 'NOT_FOUND', 'Not found'),
    invalid: (error) => failed(400, 'INVALID_ARGUMENT', z.prettifyError(error)),
  })
  return {
    ...service,
    key,
    files,
    sessions,
    put: (uri, text) => void files.set(uri, text),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

function done(result: unknown): Reply {
  return { status: 200, body: { status: 'ok', result, time: 0.01 } }
}

function failed(status: number, code: string, text: string): Reply {
  return { status, body: { status: 'error', error: { code, message: text }, time: 0.01 } }
}
