import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'

/** One connection of a client, for a test that plays the server. */
export interface Peer {
  /** Frames of the client in order. */
  readonly frames: readonly Readonly<Record<string, unknown>>[]
  send(frame: object): void
  /** Breaks the connection as a lost network does, or closes it with a code. */
  drop(code?: number, reason?: string): void
  /** Resolves to the first frame that fits, also of those that have come. */
  next(fits: (frame: Readonly<Record<string, unknown>>) => boolean): Promise<Readonly<Record<string, unknown>>>
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  /** The connections so far. */
  readonly peers: readonly Peer[]
  /** Resolves to a connection by its number, from 0. */
  peer(number: number): Promise<Peer>
}

/** A WebSocket server for tests of clients; `onFrame` plays its part. */
export async function startScriptedServer(
  onFrame: (frame: Readonly<Record<string, unknown>>, peer: Peer) => void,
): Promise<ScriptedServer> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 32 * 1024 * 1024 })
  const peers: Peer[] = []
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
    watchers.clear()
  }
  async function until<Found>(find: () => Found | undefined): Promise<Found> {
    const late = AbortSignal.timeout(30_000)
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      await new Promise<void>((resolve, reject) => {
        watchers.add(resolve)
        late.addEventListener('abort', () => reject(late.reason), { once: true })
      })
    }
  }
  server.on('connection', (socket: WebSocket) => {
    const frames: Readonly<Record<string, unknown>>[] = []
    const peer: Peer = {
      frames,
      send: (frame) => socket.send(JSON.stringify(frame)),
      drop: (code, reason) => (code === undefined ? socket.terminate() : socket.close(code, reason)),
      next: (fits) => until(() => frames.find(fits)),
    }
    peers.push(peer)
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString('utf8')) as Readonly<Record<string, unknown>>
      frames.push(frame)
      onFrame(frame, peer)
      changed()
    })
    changed()
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    peers,
    peer: (number) => until(() => peers[number]),
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
