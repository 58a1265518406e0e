import { createServer, STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '@hermes/core/log/logger.ts'
import { chunkOf } from './chunk-of.ts'
import { openEventStream } from './event-stream.ts'
import { createRouter } from './exchange.ts'
import type { Exchange, MatchedRoute, Route } from './exchange.ts'
import { HttpError } from './http-error.ts'
import type { AroundRequest } from './observed-requests.ts'
import { readJson } from './read-body.ts'
import { createUnreadAnswers } from './unread-answers.ts'
import type { UnreadAnswers } from './unread-answers.ts'

export interface HttpServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly routes: readonly Route[]
  readonly log: Logger
  /** Lets a request in, or throws `HttpError`; the headers go with its answer. */
  readonly admit: (request: IncomingMessage, route: Route | undefined) => Readonly<Record<string, string>>
  readonly errorBody: (error: HttpError) => unknown
  /** Largest body of routes that name none, bytes. */
  readonly maxBodyBytes: number
  /** What is done around each request. */
  readonly around?: AroundRequest
  /** Where answers wait for their clients; with the usual limits when absent. */
  readonly unread?: UnreadAnswers
}

/** An HTTP server with its routes. Disposing of it ends what runs. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number
}

/** A request and the route that it means. */
interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  readonly path: string
  readonly query: string
  readonly matched: MatchedRoute | undefined
}

/** How a request is answered that failed. */
interface FailedAnswer {
  readonly errorBody: (error: HttpError) => unknown
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

interface Head {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

const securityHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** Longest that an idle connection is kept, ms: longer than clients and proxies keep theirs. */
const keepAliveMs = 75_000

/** Rejects where the place cannot be listened on. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, routes, log, unread = createUnreadAnswers() } = options
  const router = createRouter(routes)
  const closing = new AbortController()
  const running = new Set<Promise<void>>()

  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const done = take(request, response).finally(() => running.delete(done))
    running.add(done)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const fault = malformed(error)
    const body = JSON.stringify(options.errorBody(fault))
    socket.end(
      `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  })

  function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = splitOnce(request.url ?? '/', '?')
    const method = request.method ?? 'GET'
    const matched = router.find(method === 'HEAD' ? 'GET' : method, path)
    const asked = { request, response, method, path, query, matched }
    return options.around ? options.around(request, response, matched?.route, () => answer(asked)) : answer(asked)
  }

  async function answer({ request, response, method, path, query, matched }: Asked): Promise<void> {
    // Given with the head: what is set on a response one by one is put together once more.
    let common: Readonly<Record<string, string>> = securityHeaders
    let sending: Promise<void> | undefined
    const gone = new AbortController()
    const leave = () => gone.abort(closing.signal.reason ?? new DOMException('The client has gone.', 'AbortError'))
    response.once('close', () => {
      closing.signal.removeEventListener('abort', leave)
      if (!response.writableFinished) leave()
    })
    closing.signal.addEventListener('abort', leave, { once: true })
    try {
      common = { ...securityHeaders, ...options.admit(request, matched?.route) }
      if (method === 'OPTIONS') {
        response.writeHead(204, common).end()
        return
      }
      if (!matched) throw notThere(method, path, router.methods(path))
      const { route, params } = matched
      const exchange: Exchange = {
        method,
        path,
        params,
        query: new URLSearchParams(query),
        headers: request.headers,
        signal: gone.signal,
        json: () => readJson(request, route.maxBodyBytes ?? options.maxBodyBytes),
        send(status, body, headers) {
          sending = sendJson(response, status, body, { ...common, ...headers })
        },
        sendText(status, body, contentType) {
          sending = sendText(response, { status, contentType, headers: common }, body)
        },
        stream: (options) =>
          openEventStream(response, { ...options, headers: { ...common, ...options.headers } }, gone.signal),
      }
      await route.handle(exchange)
      if (sending) await sending
    } catch (error) {
      if (gone.signal.aborted) {
        response.destroy()
        return
      }
      const errorBody = matched?.route.errorBody ?? options.errorBody
      fail(response, error, { errorBody, path, headers: common })
    } finally {
      // What nobody has read of a body would stand in front of the next request.
      if (!request.complete) request.resume()
    }
  }

  function fail(response: ServerResponse, error: unknown, { errorBody, path, headers }: FailedAnswer): void {
    const known =
      error instanceof HttpError
        ? error
        : new HttpError(500, 'internal_error', 'The server failed; its log says why.', { cause: error })
    if (known !== error) log.error({ path, error: String(error) }, 'a request failed')
    if (response.headersSent) {
      response.destroy()
      return
    }
    void sendJson(response, known.status, errorBody(known), { ...headers, ...known.headers })
  }

  function sendJson(
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> | undefined {
    const contentType = 'application/json; charset=utf-8'
    return sendText(response, { status, contentType, headers }, JSON.stringify(body))
  }

  /** Undefined: it is given to the connection. */
  function sendText(
    response: ServerResponse,
    { status, contentType, headers }: Head,
    text: string,
  ): Promise<void> | undefined {
    const body = chunkOf(text)
    response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body), ...headers })
    if (typeof body !== 'string') return unread.send(response, body)
    response.end(body)
    return undefined
  }

  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise
  server.off('error', reject)
  server.on('error', (error) => log.error({ error: String(error) }, 'the server cannot take connections'))
  // An address of a listening TCP server is never a path.
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      closing.abort(new DOMException('The server stops.', 'AbortError'))
      server.closeAllConnections()
      await Promise.all([closed, ...running])
    },
  }
}

/** What is told of a request that cannot be read as HTTP. */
function malformed({ code, message }: NodeJS.ErrnoException): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpError(431, 'headers_too_large', 'The headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpError(408, 'request_timeout', 'The request came too slowly.')
  const isLength = /content-length/i.test(message)
  return new HttpError(400, isLength ? 'invalid_content_length' : 'bad_request', 'The request is not valid HTTP.')
}

function notThere(method: string, path: string, methods: readonly string[]): HttpError {
  if (methods.length === 0) return new HttpError(404, 'not_found', `There is no ${path} here.`)
  const headers = { allow: methods.join(', ') }
  return new HttpError(405, 'method_not_allowed', `${path} has no ${method}.`, { headers })
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
