import type { IncomingMessage } from 'node:http'
import type { Logger } from '@hermes/core/log/logger.ts'
import { CLOSE_TOO_BIG, MAX_FRAME_BYTES, PING_INTERVAL_MS } from '@hermes/protocol/mobile/constants.ts'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import type { WebSocket } from 'ws'
import { isProxied } from '../../http/client-address.ts'
import { createOriginCheck } from '../../http/page-origins.ts'
import { servePhoneApp } from '../../http/phone-app.ts'
import { listenForSockets } from '../../http/socket-server.ts'
import type { SocketServer } from '../../http/socket-server.ts'
import type { AvatarPages } from './avatar-pages.ts'
import type { MobileSettings } from './settings.ts'

/** Bytes that somebody may send who was not let in, and how long leaving may take after more of them, ms. */
const strangerBytes = 64 * 1024
const leaveMs = 1_000
/** Connections at once; more are refused. */
const maxConnections = 10_000

export interface Arrival {
  readonly socket: WebSocket
  readonly address: string
  /** Beginning of URLs by which the client reaches us. */
  readonly origin: string
  /** It was let in: it may send large frames from now on. */
  readonly admit: () => void
}

export interface ListenOptions {
  readonly log: Logger
  readonly pages: AvatarPages
  /** What serves a connection; asked for by each. */
  readonly handler: () => Promise<(arrival: Arrival) => void>
  readonly pingMs?: number
}

const tooLarge: MobileServerFrame = {
  t: 'error',
  code: 'too_big',
  message: `A frame has at most ${MAX_FRAME_BYTES} bytes`,
  fatal: false,
}

/** Listens for devices at `/ws`, and for views of their avatars. Throws `PlatformError`. */
export function listen(
  { host, port, origins }: Pick<MobileSettings, 'host' | 'port' | 'origins'>,
  { pages, handler, log, pingMs = PING_INTERVAL_MS }: ListenOptions,
): Promise<SocketServer> {
  return listenForSockets({
    host,
    port,
    portVariable: 'MOBILE_PORT',
    path: '/ws',
    maxFrameBytes: MAX_FRAME_BYTES,
    tooLarge: () => JSON.stringify(tooLarge),
    maxConnections,
    pingMs,
    silentPings: 2,
    // Whoever is locked out is told so by a frame.
    mayConnect: () => true,
    mayOpen: createOriginCheck({ allowed: origins, variable: 'MOBILE_ALLOWED_ORIGINS', log }),
    async socketHandler() {
      const onConnection = await handler()
      return (socket, address, request, admit) => {
        const unlimited = limitStranger(socket, request)
        const letIn = () => {
          unlimited()
          admit()
        }
        onConnection({ socket, address, origin: originOf(request), admit: letIn })
      }
    },
    async onRequest(request, response) {
      if (pages.serve(request, response) || (await servePhoneApp(request, response, 'mobile'))) return
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
    },
  })
}

/** Keeps strangers from having us hold megabytes; returns how that ends. */
function limitStranger(socket: WebSocket, { socket: wire }: IncomingMessage): () => void {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= strangerBytes) return
    admit()
    socket.close(CLOSE_TOO_BIG)
    wire.pause()
    setTimeout(() => socket.terminate(), leaveMs).unref()
  }
  const admit = () => void wire.off('data', count)
  wire.on('data', count)
  return admit
}

function originOf(request: IncomingMessage): string {
  const isSecure = isProxied(request) && request.headers['x-forwarded-proto'] === 'https'
  return `${isSecure ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`
}
