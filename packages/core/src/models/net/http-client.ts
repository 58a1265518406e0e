import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { isLoopback } from './address.ts'
import { decodeBody } from './decode-body.ts'
import { TransportError, asTransportError } from './transport-error.ts'
import { watch } from './watch.ts'
import type { TimeLimits, Watch } from './watch.ts'

// Why not `fetch`: its first use costs about 50 ms of start-up, a third of a short run, and gives no hold of the
// connection's time limits. The modules are taken with `getBuiltinModule`, since `import` of `node:http` reads every
// export of it, and one of them loads all of undici.

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly limits: TimeLimits
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body as it comes, without its content codings. Throws `TransportError`, or the reason of the signal. */
  readonly body: AsyncIterable<Uint8Array>
  /** Tells that the server got somewhere: see `TimeLimits.progressMs`. */
  progress(): void
  /** Ends the exchange; the connection is kept when the body is over or about to be. Call it always. */
  release(): void
}

/** Keeps its connections for the next request. Idle ones do not keep the process alive. */
export interface HttpClient {
  /** Throws `TransportError`; when `signal` aborts, its reason. Statuses of every kind are answers. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
}

/** A client that honours `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the given environment, except on loopback. */
export function createHttpClient(environment: Readonly<Record<string, string | undefined>>): HttpClient {
  const agents = new Map<string, Agent>()
  const agentFor = (url: URL): Agent => {
    const direct = isLoopback(url.hostname)
    const key = `${url.protocol}${direct ? 'direct' : 'proxy'}`
    const agent = agents.get(key) ?? openAgent(url.protocol, direct ? {} : environment)
    agents.set(key, agent)
    return agent
  }
  // Nearly all requests go to a few addresses.
  const targets = new Map<string, Target>()
  const targetOf = (text: string): Target => {
    const known = targets.get(text)
    if (known) return known
    const url = parseUrl(text)
    const target = {
      host: url.host,
      isSecure: url.protocol === 'https:',
      agent: agentFor(url),
      options: optionsOf(url),
    }
    if (targets.size >= maxTargets) targets.clear()
    targets.set(text, target)
    return target
  }
  return {
    send: async (request, signal) => {
      signal.throwIfAborted()
      const target = targetOf(request.url)
      try {
        // A kept connection may have been closed by the server just now; then the request never reached it.
        for (let attempt = 0; attempt < maxStaleConnections; attempt++) {
          const answer = await exchange(request, target, signal)
          if (answer !== 'stale') return answer
        }
        throw new TransportError('unreachable', `${target.host} keeps closing its connections`)
      } catch (error) {
        signal.throwIfAborted()
        throw asTransportError(error, target.host)
      }
    },
  }
}

const maxStaleConnections = 4

/** Addresses that are remembered. */
const maxTargets = 64

/** Where a request goes. */
interface Target {
  readonly host: string
  readonly isSecure: boolean
  readonly agent: Agent
  readonly options: RequestOptions
}

/** Pieces of a body that may wait for their reader. */
const maxWaitingPieces = 64

/** How long a finished exchange may take to end by itself, so that its connection can be used again. */
const drainMs = 2000

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new TransportError('refused', `${text} is no http:// or https:// address`)
}

function optionsOf(url: URL): RequestOptions {
  const { urlToHttpOptions } = process.getBuiltinModule('node:url')
  return urlToHttpOptions(url)
}

function openAgent(protocol: string, proxyEnv: Readonly<Record<string, string | undefined>>): Agent {
  const options = { keepAlive: true, proxyEnv }
  if (protocol === 'https:') return new (process.getBuiltinModule('node:https').Agent)(options)
  return new (process.getBuiltinModule('node:http').Agent)(options)
}

async function exchange(
  { method, headers, body, limits }: HttpRequest,
  { host, isSecure, agent, options: place }: Target,
  signal: AbortSignal,
): Promise<HttpResponse | 'stale'> {
  const { request: open } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http')
  const request = open({ ...place, method, agent, headers: { ...headers, ...lengthOf(body) } })
  const watcher = watch(limits, host, (reason) => request.destroy(reason))
  const onAbort = (): void => void request.destroy()
  signal.addEventListener('abort', onAbort, { once: true })
  const stop = (): void => {
    watcher.stop()
    signal.removeEventListener('abort', onAbort)
  }
  try {
    const response = await responseOf(request, watcher, body)
    return asResponse(response, { host, watcher, signal, stop })
  } catch (error) {
    stop()
    request.destroy()
    const lost = error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    if (lost && request.reusedSocket && !signal.aborted) return 'stale'
    throw error
  }
}

function lengthOf(body: HttpRequest['body']): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

async function responseOf(request: ClientRequest, watcher: Watch, body: HttpRequest['body']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('socket', (socket) => {
      if (!socket.connecting) watcher.connected()
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => watcher.connected())
    })
    request.once('response', (response) => {
      watcher.connected()
      resolve(response)
    })
    // Stays for good: an error after the answer has begun reaches the reader of the body.
    request.on('error', reject)
    request.end(body)
  })
}

interface Exchange {
  readonly host: string
  readonly watcher: Watch
  readonly signal: AbortSignal
  readonly stop: () => void
}

function asResponse(response: IncomingMessage, { host, watcher, signal, stop }: Exchange): HttpResponse {
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: decodeBody(bodyOf(response, { host, watcher, signal, stop }), response.headers['content-encoding'], host),
    progress: () => watcher.progress(),
    release: () => {
      stop()
      if (signal.aborted) response.destroy()
      else if (!response.readableEnded) drain(response)
    },
  }
}

/** Reads the rest away, so that the connection can be used again; gives it up when that takes long. */
function drain(response: IncomingMessage): void {
  const tooLong = setTimeout(() => response.destroy(), drainMs).unref()
  response.on('error', () => clearTimeout(tooLong)).once('close', () => clearTimeout(tooLong))
  response.resume()
}

/**
 * The body piece by piece. What arrived before the connection broke is given before the error is thrown; a stream's own
 * iterator would throw it away.
 */
async function* bodyOf(
  response: IncomingMessage,
  { host, watcher, signal, stop }: Exchange,
): AsyncGenerator<Uint8Array> {
  const arrived: Uint8Array[] = []
  let isOver = false
  let failure: unknown
  let wake = (): void => {}
  response.on('data', (piece: Uint8Array) => {
    watcher.bytes()
    arrived.push(piece)
    if (arrived.length >= maxWaitingPieces) response.pause()
    wake()
  })
  response.on('error', (error) => {
    failure = error
    wake()
  })
  // `close` comes after `end` and `error`, whichever it was.
  response.once('close', () => {
    isOver = true
    wake()
  })
  response.once('end', () => {
    isOver = true
    wake()
  })
  try {
    while (true) {
      signal.throwIfAborted()
      // What has come meanwhile is read as one: each reading goes through all that stands behind this.
      const piece = arrived.length > 1 ? Buffer.concat(arrived.splice(0)) : arrived.shift()
      if (piece) {
        // A slow reader is no silent server.
        watcher.bytes()
        if (arrived.length === 0) response.resume()
        yield piece
      } else if (failure !== undefined) throw asTransportError(watcher.reason() ?? failure, host)
      else if (isOver) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    stop()
  }
}
