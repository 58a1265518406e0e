import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceFault } from '@hermes/core/memory/memory-provider.contract.ts'
import type { z } from 'zod'

/** An answer of a stand-in; `body` is sent as JSON, bytes as they are, and nothing is where it is undefined. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a route is asked. */
export interface Question<Body = unknown> {
  /** The parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Body
  readonly headers: IncomingMessage['headers']
}

export interface Route {
  readonly method: string
  /** e.g. `/v1/peers/:peer`. */
  readonly path: string
  readonly body: z.ZodType | undefined
  answer(question: Question): Reply
}

export interface RecordedServiceRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: IncomingMessage['headers']
}

/** A stand-in of a service on loopback. */
export interface StandInService extends AsyncDisposable {
  readonly url: string
  /** Every request so far. */
  readonly requests: readonly RecordedServiceRequest[]
  /** Requests that hang and that their clients have not given up. */
  readonly hanging: ReadonlySet<object>
  /** Every request meets this from now on; undefined: all is well again. */
  readonly misbehave: (fault: ServiceFault | undefined) => void
  /** Requests whose path ends like this get this answer from now on. */
  refuse(pathEnd: string, reply: Reply): void
}

/** How a service says no. */
export interface ServiceManners {
  /** Undefined when the request may pass. */
  authorize(headers: IncomingMessage['headers']): Reply | undefined
  readonly notFound: Reply
  /** For a body that is not as the route wants it. */
  invalid(error: z.ZodError): Reply
}

/** A route whose body is of a schema. */
export function route<Body>(
  method: string,
  path: string,
  body: z.ZodType<Body>,
  answer: (question: Question<Body>) => Reply,
): Route {
  // The server hands it only what `body` has parsed.
  return { method, path, body, answer: (question) => answer(question as Question<Body>) }
}

/** A route without a body. */
export function bareRoute(method: string, path: string, answer: (question: Question) => Reply): Route {
  return { method, path, body: undefined, answer }
}

export const ok = (body?: unknown): Reply => ({ status: 200, body })

/** Starts a stand-in of a service that has these routes. */
export async function startStandIn(routes: readonly Route[], manners: ServiceManners): Promise<StandInService> {
  const requests: RecordedServiceRequest[] = []
  let fault: ServiceFault | undefined
  const refusals = new Map<string, Reply>()
  const hanging = new Set<object>()

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const method = request.method ?? 'GET'
    const body = await bodyOf(request)
    requests.push({ method, path: url.pathname + url.search, body, headers: request.headers })
    if (fault?.type === 'status') {
      return {
        status: fault.status,
        body: { detail: `failed for ${request.headers.authorization ?? ''}` },
        headers: fault.status === 429 ? { 'retry-after': '30' } : {},
      }
    }
    const refusal = manners.authorize(request.headers)
    if (refusal) return refusal
    for (const [pathEnd, reply] of refusals) if (url.pathname.endsWith(pathEnd)) return reply
    for (const route of routes) {
      const params = route.method === method ? match(route.path, url.pathname) : undefined
      if (!params) continue
      const parsed = route.body?.safeParse(body)
      if (parsed?.success === false) return manners.invalid(parsed.error)
      return route.answer({ params, query: url.searchParams, body: parsed?.data, headers: request.headers })
    }
    return manners.notFound
  }

  const server = createServer((request, response) => {
    if (fault?.type === 'drop') {
      request.socket.destroy()
      return
    }
    if (fault?.type === 'hang') {
      hanging.add(request)
      response.once('close', () => hanging.delete(request))
      return
    }
    if (fault?.type === 'garbage') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>not what was asked for</html>')
      return
    }
    answer(request).then(
      (reply) => send(response, reply),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hanging,
    misbehave(wanted) {
      fault = wanted
    },
    refuse(pathEnd, reply) {
      refusals.set(pathEnd, reply)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const isBytes = body instanceof Uint8Array
  response.writeHead(status, { ...(!isBytes && { 'content-type': 'application/json' }), ...headers })
  response.end(body === undefined || isBytes ? body : JSON.stringify(body))
}

/** JSON as it is; a form as an object of its fields, its files as `UploadedFile`. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  // A request's pieces are buffers, unless an encoding was set.
  for await (const piece of request) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('multipart/form-data')) return formOf(bytes, type)
  return bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'))
}

/** A file that was sent in a form. */
export interface UploadedFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

async function formOf(bytes: Buffer, type: string): Promise<Readonly<Record<string, string | UploadedFile>>> {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  const fields: Record<string, string | UploadedFile> = {}
  for (const [name, value] of form) {
    fields[name] =
      typeof value === 'string'
        ? value
        : { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) }
  }
  return fields
}

function match(pattern: string, path: string): Record<string, string> | undefined {
  const names = pattern.split('/')
  const parts = path.split('/')
  if (names.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith(':') && part !== '') params[name.slice(1)] = decodeURIComponent(part)
    else if (name !== part) return undefined
  }
  return params
}
