import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RecordedRequest, RequestBody, Script, ScriptedAnswer } from './answer.ts'
import { play, sendJson } from './play.ts'
import { wires } from './wires.ts'
import type { PlainRequest, Wire } from './wire.ts'

export interface ScriptedModelOptions {
  /** Default 0: any free one. */
  readonly port?: number
  /** What `GET /v1/models` lists: names, or whole entries. Default `scripted-model`. */
  readonly models?: readonly (string | Readonly<Record<string, unknown>>)[]
  /** When given, requests with another bearer key are answered 401. */
  readonly apiKey?: string
  /** Begin a list script again when it has run out; otherwise the request is answered 400. */
  readonly repeat?: boolean
  /** Refuse tool calls whose arguments are no JSON object. */
  readonly strictArguments?: boolean
}

/** A model server on loopback that says what its script says, on the real wire. */
export interface ScriptedModel extends AsyncDisposable {
  /** Base URL for clients, e.g. `http://127.0.0.1:40123/v1`. */
  readonly url: string
  readonly port: number
  /** Model requests so far, in order of arrival; they change as their answers go on. */
  readonly requests: readonly RecordedRequest[]
  /** Times `GET /v1/models` was asked. */
  readonly modelListings: number
  /** Adds answers to a script that is a list. */
  add(...answers: readonly ScriptedAnswer[]): void
  /** Resolves when `count` requests have arrived. */
  arrived(count: number): Promise<void>
  /** Resolves when the answer of request `n` is over, or its client has gone. */
  ended(n: number): Promise<void>
  close(): Promise<void>
}

type Recording = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] }

/** Starts a scripted model server. Every request is recorded, and its transcript checked. */
export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const answers = typeof script === 'function' ? [] : [...script]
  const requests: Recording[] = []
  const watchers = new Set<() => void>()
  const closing = new AbortController()
  let modelListings = 0

  const changed = (): void => {
    for (const watcher of watchers) watcher()
  }
  const until = async (condition: () => boolean): Promise<void> => {
    if (condition()) return
    await new Promise<void>((resolve) => {
      const watcher = (): void => {
        if (!condition()) return
        watchers.delete(watcher)
        resolve()
      }
      watchers.add(watcher)
    })
  }
  const answerFor = async (request: RecordedRequest, n: number): Promise<ScriptedAnswer> => {
    if (typeof script === 'function') return script(request, n)
    const answer = answers[options.repeat ? n % Math.max(1, answers.length) : n]
    if (answer) return answer
    const message = `The script has no answer for request ${n + 1}.`
    return { fault: { type: 'http', status: 400, message, errorCode: 'script_over' } }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAtNs = process.hrtime.bigint()
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (path.endsWith('/v1/models')) {
      modelListings++
      return sendJson(response, 200, { object: 'list', data: listing(options.models ?? ['scripted-model']) })
    }
    if (path === '/scripted/requests') return sendJson(response, 200, requests.map(plain))
    const wire = wires.find((candidate) => candidate.matches(path))
    if (!wire || request.method !== 'POST') return sendJson(response, 404, { error: { message: `No route ${path}` } })
    const text = await bodyOf(request)
    const body = parse(text)
    const problem = body === undefined ? 'the body is no JSON' : wire.validate(body, validation(options))
    const recording: Recording = {
      wire: wire.name,
      method: request.method,
      path,
      headers: request.headers,
      body: body ?? {},
      problem,
      arrivedAtNs,
      endedAtNs: undefined,
      hungUp: false,
    }
    const n = requests.push(recording) - 1
    const gone = new AbortController()
    response.once('close', () => {
      recording.hungUp = !response.writableFinished
      recording.endedAtNs ??= process.hrtime.bigint()
      gone.abort()
      changed()
    })
    response.once('finish', () => {
      recording.endedAtNs = process.hrtime.bigint()
    })
    changed()
    const plainRequest = { method: request.method, url: request.url ?? '', headers: request.headers, body: text }
    const refusal = await refusalOf(recording, wire, plainRequest, options.apiKey)
    if (refusal) return sendJson(response, refusal.status, refusal.body)
    const signal = AbortSignal.any([gone.signal, closing.signal])
    await play(await answerFor(recording, n), { response, wire, context: { n, body: recording.body }, signal })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.destroyed || closing.signal.aborted) return
      if (response.headersSent) response.destroy()
      else void sendJson(response, 500, { error: { message: `Scripted server: ${String(error)}` } })
    })
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    closing.abort()
    await closeServer(server)
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    get modelListings() {
      return modelListings
    },
    add: (...more) => void answers.push(...more),
    arrived: (count) => until(() => requests.length >= count),
    ended: (n) => until(() => requests[n]?.endedAtNs !== undefined),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function validation({ strictArguments = false }: ScriptedModelOptions): { readonly strictArguments: boolean } {
  return { strictArguments }
}

async function refusalOf(
  { problem }: RecordedRequest,
  wire: Wire,
  request: PlainRequest,
  apiKey: string | undefined,
): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
  if (apiKey !== undefined && !(await isAllowed(wire, request, apiKey))) {
    const message = 'Incorrect API key provided.'
    return { status: 401, body: wire.errorBody({ message, type: 'invalid_request_error', code: 'invalid_api_key' }) }
  }
  if (problem === undefined) return undefined
  return { status: 400, body: wire.errorBody({ message: `Malformed request: ${problem}`, code: 'malformed_request' }) }
}

async function isAllowed(wire: Wire, request: PlainRequest, apiKey: string): Promise<boolean> {
  if (wire.authenticates) return wire.authenticates(request, apiKey)
  const { headers } = request
  return headers['authorization'] === `Bearer ${apiKey}` || headers['x-api-key'] === apiKey
}

function listing(models: readonly (string | Readonly<Record<string, unknown>>)[]): readonly unknown[] {
  return models.map((model) => (typeof model === 'string' ? { id: model, object: 'model' } : model))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

function parse(text: string): RequestBody | undefined {
  try {
    return JSON.parse(text) as RequestBody
  } catch {
    return undefined
  }
}

/** A recording as JSON: nanoseconds become strings. */
function plain(recording: RecordedRequest): unknown {
  return {
    ...recording,
    arrivedAtNs: String(recording.arrivedAtNs),
    ...(recording.endedAtNs !== undefined && { endedAtNs: String(recording.endedAtNs) }),
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
