import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createFrameReader } from './frame-reader.ts'

export type Direction = 'to-server' | 'to-client'

/** Where the network breaks, once: when so many frames have passed in that direction. 0: before the first one. */
export interface Cut {
  readonly direction: Direction
  readonly behind: number
}

/** A wire on loopback between a WebSocket server and its client, which breaks between two frames. */
export interface FrameProxy extends AsyncDisposable {
  readonly port: number
  /** Frames that have passed so far, those of control too, over all connections. */
  readonly passed: Readonly<Record<Direction, number>>
  readonly isCut: boolean
}

/** `target`: port of the server. What is no WebSocket passes as it is. */
export async function startFrameProxy(target: number, cut?: Cut): Promise<FrameProxy> {
  const passed: Record<Direction, number> = { 'to-server': 0, 'to-client': 0 }
  const sockets = new Set<Socket>()
  let isCut = false

  /** Passes what comes; frames one by one, as soon as they are whole. */
  function pass(from: Socket, to: Socket, direction: Direction, breakUp: () => void): void {
    const reader = createFrameReader()
    from.on('data', (chunk: Buffer) => {
      for (const piece of reader.read(chunk)) {
        const isDue = !isCut && cut?.direction === direction && piece.isFrame && passed[direction] >= cut.behind
        if (isDue) return breakUp()
        if (!to.writable) return
        to.write(piece.bytes)
        if (piece.isFrame) passed[direction]++
        if (!isCut && cut?.direction === direction && passed[direction] === cut.behind && cut.behind > 0)
          return breakUp()
      }
    })
  }

  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target })
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    let isBroken = false
    const breakUp = () => {
      if (isBroken) return
      isBroken = true
      isCut = true
      for (const socket of [client, upstream]) {
        socket.removeAllListeners('data').resume()
        // What has passed arrives.
        socket.end(() => socket.destroy())
      }
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        if (!isBroken) end()
      })
    }
    pass(client, upstream, 'to-server', breakUp)
    pass(upstream, client, 'to-client', breakUp)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    passed,
    get isCut() {
      return isCut
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
