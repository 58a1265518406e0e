import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A wire between a client and a server on loopback that can be cut. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number
  /** Cuts all connections; new ones may come. */
  cut(): void
  /** New connections are closed at once while it is false. */
  isOpen: boolean
  /** Connections so far. */
  readonly connections: number
  /**
   * The next connection on which the client has said so many bytes is cut when the server answers then: the server has
   * what the client does not know to have arrived.
   */
  cutAnswerAfter(bytes: number): void
  /** From now on nothing passes, and nobody is told: as when a machine between them is gone. */
  isSilent: boolean
}

export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cutAfter: number | undefined
  const state = { isOpen: true, isSilent: false, connections: 0 }
  const server = createServer((client) => {
    state.connections++
    if (!state.isOpen) {
      client.destroy()
      return
    }
    const upstream = connect({ host: '127.0.0.1', port: target })
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    let said = 0
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      said += chunk.length
      if (!state.isSilent) upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (cutAfter !== undefined && said >= cutAfter) {
        cutAfter = undefined
        end()
      } else if (!state.isSilent) client.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    cut,
    cutAnswerAfter(bytes: number) {
      cutAfter = bytes
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
