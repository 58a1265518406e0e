import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { PlatformError } from '../platforms/platform-error.ts'
import { clientAddress } from './client-address.ts'
import { GatheringSocket } from './gathering-socket.ts'
import { createStrangers } from './strangers.ts'

/**
 * Longest that a request may take to arrive whole, how often those are looked at that have not, and how long a client may
 * neither send nor take anything, ms. WebSockets have their pings instead.
 */
const [defaultRequestMs, defaultCheckMs, defaultIdleMs] = [10_000, 5_000, 60_000]

/** Connections for plain requests beside those of WebSockets. */
const spareConnections = 200

/** Time that clients have to say goodbye when the server ends, ms. */
const goodbyeMs = 1_000

/** Close codes of RFC 6455. */
const [goingAway, tooBig] = [1001, 1009]

export interface SocketServerOptions {
  readonly host: string
  readonly port: number
  /** For people, where the port cannot be used. */
  readonly portVariable: string
  /** Where WebSockets are taken; everything else goes to `onRequest`. */
  readonly path: string
  readonly maxFrameBytes: number
  /** Said before a connection closes whose frame is larger. */
  readonly tooLarge: () => string
  readonly maxConnections: number
  /** Between two pings. */
  readonly pingMs: number
  /** Other limits on plain requests, for tests. */
  readonly requestMs?: number
  readonly checkMs?: number
  readonly idleMs?: number
  /** Pings in a row after which a client that sends nothing is cut off; one where absent. */
  readonly silentPings?: number
  /** Whether connections of that address are taken. */
  mayConnect(address: string): boolean
  /** Whether a connection is taken from where it is asked for; see `createOriginCheck`. */
  mayOpen(request: IncomingMessage): boolean
  /** What deals with a connection; asked for before each is taken over, so that its code is loaded when one comes. */
  socketHandler(): Promise<SocketHandler>
  onRequest(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** `admit`: the client has signed in. Who has not is cut off when too many have not. */
export type SocketHandler = (socket: WebSocket, address: string, request: IncomingMessage, admit: () => void) => void

/** A server of WebSockets and of plain requests on one port. */
export interface SocketServer extends AsyncDisposable {
  readonly port: number
  /** Resolves with the reason when it does not listen any more. */
  readonly closed: Promise<unknown>
}

/** Listens. Throws `PlatformError` where the port cannot be used. */
export async function listenForSockets(options: SocketServerOptions): Promise<SocketServer> {
  const { host, port, portVariable, path, maxFrameBytes, tooLarge, maxConnections, pingMs } = options
  const { silentPings = 1, requestMs = defaultRequestMs, checkMs = defaultCheckMs, idleMs = defaultIdleMs } = options
  const sockets = new WebSocketServer<typeof GatheringSocket>({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    WebSocket: withWarning(tooLarge),
  })
  const limits = { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: checkMs }
  const server = createServer(limits, (request, response) => {
    options.onRequest(request, response).catch(() => response.destroy())
  })
  server.timeout = idleMs
  const maxSilent = maxConnections + spareConnections
  server.maxConnections = 2 * maxSilent
  const strangers = createStrangers({
    most: Math.ceil(maxConnections * 0.75),
    mostOfAddress: Math.ceil(maxConnections / 2),
  })
  limitSilence(server, maxSilent)

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const address = clientAddress(request)
    stream.on('error', () => stream.destroy())
    if (pathOf(request) !== path) return refuse(stream, '404 Not Found')
    if (!options.mayOpen(request)) return refuse(stream, '403 Forbidden')
    if (!options.mayConnect(address)) return refuse(stream, '429 Too Many Requests')
    const take = (onSocket: SocketHandler) => {
      if (sockets.clients.size >= maxConnections && !strangers.cutOne()) {
        return refuse(stream, '503 Service Unavailable')
      }
      sockets.handleUpgrade(request, stream, head, (socket) => {
        socket.gatherFor(request.socket)
        watchLife(socket, { wire: request.socket, pingMs, silentPings })
        // The connection closes after it by itself.
        socket.on('error', () => {})
        const admit = strangers.add({ address, cut: () => socket.terminate() })
        socket.on('close', admit)
        onSocket(socket, address, request, admit)
      })
    }
    options
      .socketHandler()
      .then(take)
      .catch(() => stream.destroy())
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new PlatformError('unreachable', `Port ${port} of ${host} cannot be used (${code}). Set ${portVariable}.`)
  }
  const closed = Promise.withResolvers<unknown>()
  server.on('close', () => closed.resolve(new Error('the server does not listen any more')))
  return {
    port: (server.address() as AddressInfo).port,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets.clients) socket.close(goingAway)
      const cut = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate()
      }, goodbyeMs)
      server.closeIdleConnections()
      const cutRequests = setTimeout(() => server.closeAllConnections(), goodbyeMs)
      await closed.promise
      clearTimeout(cut)
      clearTimeout(cutRequests)
    },
  }
}

/** Connections without a request yet, or between two, go when they are too many: the oldest first. */
function limitSilence(server: Server, most: number): void {
  const silent = createStrangers({ most, mostOfAddress: most })
  const leaving = new WeakMap<Socket, () => void>()
  const speaks = (wire: Socket) => leaving.get(wire)?.()
  const isSilent = (wire: Socket) => {
    if (!wire.destroyed) leaving.set(wire, silent.add({ address: wire.remoteAddress ?? '', cut: () => wire.destroy() }))
  }
  server.on('connection', (wire) => {
    isSilent(wire)
    wire.on('close', () => speaks(wire))
  })
  server.on('upgrade', ({ socket: wire }: IncomingMessage) => speaks(wire))
  server.on('request', ({ socket: wire }: IncomingMessage, response: ServerResponse) => {
    speaks(wire)
    response.on('close', () => {
      speaks(wire)
      isSilent(wire)
    })
  })
}

interface Watching {
  readonly wire: Socket
  readonly pingMs: number
  readonly silentPings: number
}

/** Pings a client, and cuts it off where nothing comes. Each at its own times, so that a thousand take no pause for it. */
function watchLife(socket: WebSocket, { wire, pingMs, silentPings }: Watching): void {
  /** Bytes that had come at the last sign of life, and pings since. */
  let [bytes, pings] = [0, 0]
  const pinging = setInterval(() => {
    // An answer may wait behind the megabytes of a large frame, which are a sign of life too.
    if (wire.bytesRead > bytes) pings = 0
    bytes = wire.bytesRead
    if (pings++ >= silentPings) socket.terminate()
    else if (socket.readyState === WebSocket.OPEN) socket.ping()
  }, pingMs).unref()
  socket.on('close', () => clearInterval(pinging))
}

/** The path of a request without its query. */
export function pathOf({ url }: Pick<IncomingMessage, 'url'>): string {
  return (url ?? '/').split('?')[0] ?? '/'
}

/** Tells a client why, before it is closed for a frame that is too large: such a frame itself is never read. */
function withWarning(tooLarge: () => string): typeof GatheringSocket {
  return class extends GatheringSocket {
    override close(code?: number, reason?: string | Buffer): void {
      if (code === tooBig && this.readyState === WebSocket.OPEN) this.send(tooLarge())
      super.close(code, reason)
    }
  }
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
