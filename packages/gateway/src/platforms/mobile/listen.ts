import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { CLOSE_TOO_BIG, MAX_FRAME_BYTES, PING_INTERVAL_MS } from '@hermes/protocol/mobile/constants.ts'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { WebSocket, WebSocketServer } from 'ws'
import { PlatformError } from '../platform-error.ts'
import type { AvatarPages } from './avatar-pages.ts'
import { servePhoneApp } from '../../http/phone-app.ts'
import type { MobileSettings } from './settings.ts'

/** Time for the head of a request to arrive, ms. */
const headMs = 10_000
/** Bytes that somebody may send who was not let in, and how long leaving may take after more of them, ms. */
const strangerBytes = 64 * 1024
const leaveMs = 1_000
/** Connections at once; more are refused. */
const maxConnections = 10_000
/** Pings in a row without an answer that end a connection. */
const maxSilent = 2

export interface MobileServer extends AsyncDisposable {
  readonly port: number
  /** Resolves with the reason when it does not listen any more. */
  readonly closed: Promise<unknown>
}

export interface Arrival {
  readonly socket: WebSocket
  readonly address: string
  /** Beginning of URLs by which the client reaches us. */
  readonly origin: string
  /** It was let in: it may send large frames from now on. */
  readonly admit: () => void
}

export interface ListenOptions {
  readonly pages: AvatarPages
  readonly onConnection: (arrival: Arrival) => void
  readonly pingMs?: number
}

/** Says why before it closes a connection for a frame that is too large. */
class DeviceSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    if (code === CLOSE_TOO_BIG && this.readyState === WebSocket.OPEN) {
      const message = `A frame has at most ${MAX_FRAME_BYTES} bytes`
      const frame: MobileServerFrame = { t: 'error', code: 'too_big', message, fatal: false }
      this.send(JSON.stringify(frame))
    }
    super.close(code, data)
  }
}

/** Listens for devices at `/ws`, and for views of their avatars. Throws `PlatformError`. */
export async function listen(
  { host, port }: Pick<MobileSettings, 'host' | 'port'>,
  { pages, onConnection, pingMs = PING_INTERVAL_MS }: ListenOptions,
): Promise<MobileServer> {
  const closed = Promise.withResolvers<unknown>()
  const server = createServer({ headersTimeout: headMs, requestTimeout: headMs }, (request, response) => {
    if (pages.serve(request, response)) return
    servePhoneApp(request, response, 'mobile')
      .then((isServed) => isServed || response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n'))
      .catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    WebSocket: DeviceSocket,
  })
  const silent = new Map<WebSocket, number>()

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    const path = (request.url ?? '').split('?')[0]
    if (path !== '/ws') return refuse(stream, '404 Not Found')
    if (silent.size >= maxConnections) return refuse(stream, '503 Service Unavailable')
    sockets.handleUpgrade(request, stream, head, (socket) => {
      silent.set(socket, 0)
      const heard = () => silent.set(socket, 0)
      socket.on('message', heard)
      socket.on('pong', heard)
      socket.on('close', () => silent.delete(socket))
      const admit = limitStranger(socket, stream)
      onConnection({ socket, address: addressOf(request), origin: originOf(request), admit })
    })
  })
  const pinging = setInterval(() => {
    for (const [socket, count] of silent) {
      if (count >= maxSilent) socket.terminate()
      else {
        silent.set(socket, count + 1)
        if (socket.readyState === socket.OPEN) socket.ping()
      }
    }
  }, pingMs).unref()

  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    clearInterval(pinging)
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new PlatformError('unreachable', `Port ${port} cannot be used for phones (${code}). Set MOBILE_PORT.`)
  }
  server.on('close', () => closed.resolve(new Error('the server for phones does not listen any more')))
  return {
    port: (server.address() as AddressInfo).port,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      clearInterval(pinging)
      server.close()
      for (const socket of silent.keys()) socket.close(1001, 'the server stops')
      await partings(silent)
      for (const socket of silent.keys()) socket.terminate()
      server.closeAllConnections()
      await closed.promise
    },
  }
}

/** Keeps strangers from having us hold megabytes; returns how that ends. */
function limitStranger(socket: WebSocket, stream: Duplex): () => void {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= strangerBytes) return
    admit()
    socket.close(CLOSE_TOO_BIG)
    stream.pause()
    setTimeout(() => socket.terminate(), leaveMs).unref()
  }
  const admit = () => void stream.off('data', count)
  stream.on('data', count)
  return admit
}

/** Gives clients a moment to take leave. */
async function partings(open: ReadonlyMap<WebSocket, number>): Promise<void> {
  const late = AbortSignal.timeout(500)
  const closes = [...open.keys()].map((socket) => once(socket, 'close', { signal: late }).catch(() => undefined))
  await Promise.all(closes)
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Where a connection comes from; a proxy on this machine says for whom it speaks. */
function addressOf(request: IncomingMessage): string {
  return (isProxied(request) && header(request, 'x-forwarded-for')?.split(',').at(-1)?.trim()) || peerOf(request)
}

function originOf(request: IncomingMessage): string {
  const isSecure = isProxied(request) && header(request, 'x-forwarded-proto') === 'https'
  return `${isSecure ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`
}

function isProxied(request: IncomingMessage): boolean {
  return ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(peerOf(request))
}

function peerOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? ''
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
