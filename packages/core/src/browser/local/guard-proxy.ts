// All that a browser loads goes through this proxy, localhost included: pages, redirects, subresources, downloads,
// WebSockets, workers. Each host is looked up here, once a connection, and only what was judged is connected to: a name
// that changes its address between the check and the use changes nothing.
import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Environment } from '../../agent/context.ts'
import { checkUrl } from '../../security/network/check-url.ts'
import type { UrlVerdict } from '../../security/network/check-url.ts'
import { NetworkError } from '../../security/network/network-error.ts'
import type { NetworkRules } from '../../security/network/network-rules.ts'
import { proxyFor } from '../../security/network/proxy-for.ts'
import { connectThrough } from './connect-through.ts'

/** The proxy of one browser. */
export interface GuardProxy extends AsyncDisposable {
  readonly port: number
  /** Why the last request to a host (with its port, where it is not the usual one) came to nothing. */
  refusal(host: string): string | undefined
}

type Allowed = Extract<UrlVerdict, { readonly allowed: true }>

const checkTimeoutMs = 15_000
const connectTimeoutMs = 15_000
const maxRefusals = 200

/** Headers that are for a proxy or a connection alone. */
const hopHeaders = ['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade']

/** Starts one on loopback. `environment` may name a proxy that this one must use itself. */
export async function startGuardProxy(rules: NetworkRules, environment: Environment): Promise<GuardProxy> {
  const refusals = new Map<string, string>()
  const sockets = new Set<Duplex>()
  const stop = new AbortController()
  const keep = <S extends Duplex>(socket: S): S => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }

  /** Throws `NetworkError` with what is refused. */
  async function judge(url: string): Promise<Allowed> {
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(checkTimeoutMs)])
    const verdict = await checkUrl(url, rules, signal)
    if (verdict.allowed) return verdict
    throw new NetworkError(verdict.code, verdict.reason)
  }

  function note(url: string, error: unknown): void {
    const host = URL.parse(url)?.host
    if (host === undefined || !(error instanceof NetworkError)) return
    if (refusals.size >= maxRefusals) refusals.clear()
    refusals.set(host, error.message)
  }

  async function reach({ target, addresses }: Allowed): Promise<Socket> {
    const proxy = proxyFor(target, environment)
    const options = { signal: stop.signal, timeoutMs: connectTimeoutMs }
    if (proxy !== undefined) return keep(await connectThrough(proxy, target, options))
    for (const address of addresses) {
      const socket = keep(connect({ host: address, port: target.port }))
      if (await isConnected(socket)) return socket
    }
    throw new NetworkError('unreachable', `${target.hostname} cannot be reached`)
  }

  const server = createServer((request, response) => {
    forward(request, response, { judge, reach }).catch((error: unknown) => {
      note(request.url ?? '', error)
      refuse(response, error)
    })
  })
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    keep(client)
    const { host, scheme } = tunnelTarget(request.url ?? '')
    const url = `${scheme}://${host}/`
    judge(url)
      .then(reach)
      .then((socket) => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        if (head.length > 0) socket.write(head)
        socket.pipe(client).pipe(socket)
        client.once('close', () => socket.destroy())
        socket.once('close', () => client.destroy())
      })
      .catch((error: unknown) => {
        note(url, error)
        client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      })
  })
  server.on('connection', keep)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    port,
    refusal: (host) => refusals.get(host),
    async [Symbol.asyncDispose]() {
      stop.abort()
      for (const socket of sockets) socket.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** `host:port` of a tunnel. Both kinds of WebSocket come as one too. */
function tunnelTarget(url: string) {
  const { port } = /:(?<port>\d+)$/.exec(url)?.groups ?? {}
  return { host: url, scheme: port === '80' ? 'http' : 'https' }
}

async function isConnected(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.setTimeout(connectTimeoutMs, () => socket.destroy())
  socket.once('connect', () => resolve(true))
  socket.once('close', () => resolve(false))
  const isOpen = await promise
  if (isOpen) socket.setTimeout(0)
  return isOpen
}

interface Ways {
  readonly judge: (url: string) => Promise<Allowed>
  readonly reach: (verdict: Allowed) => Promise<Socket>
}

/** Sends a plain request on, and its answer back. */
async function forward(request: IncomingMessage, response: ServerResponse, { judge, reach }: Ways): Promise<void> {
  const verdict = await judge(request.url ?? '')
  const { url } = verdict.target
  const socket = await reach(verdict)
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !hopHeaders.includes(name)))
  const onward = sendRequest({
    createConnection: () => socket,
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, connection: 'close' },
  })
  response.once('close', () => socket.destroy())
  onward.on('error', () => response.destroy())
  onward.on('response', (answer) => {
    const kept = answer.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 && !hopHeaders.includes(name.toLowerCase()) ? [name, all[index + 1] ?? ''] : [],
    )
    response.writeHead(answer.statusCode ?? 502, kept)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  request.pipe(onward)
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const reason = error instanceof NetworkError ? error.message : 'The request failed.'
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', [refusedHeader]: '1' }).end(reason)
}

/** Marks an answer as the proxy's own. */
export const refusedHeader = 'x-hermes-refused'
