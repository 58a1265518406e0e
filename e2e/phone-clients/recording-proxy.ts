import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

export type Frame = Readonly<Record<string, unknown>>

/** Stands between clients and a gateway and keeps what both say. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string
  readonly fromClient: readonly Frame[]
  readonly fromServer: readonly Frame[]
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const maxPayload = 32 * 1024 * 1024
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload })
  const [fromClient, fromServer]: [Frame[], Frame[]] = [[], []]
  server.on('connection', (client) => {
    const upstream = new WebSocket(target, { maxPayload })
    const opened = once(upstream, 'open')
    const pass = (frames: Frame[], to: WebSocket) => (data: Buffer) => {
      frames.push(JSON.parse(data.toString()) as Frame)
      void opened.then(() => to.send(data.toString()))
    }
    client.on('message', pass(fromClient, upstream))
    upstream.on('message', pass(fromServer, client))
    client.on('close', () => void opened.then(() => upstream.close()))
    upstream.on('close', (code, reason) => client.close(code === 1005 ? 1000 : code, reason))
    for (const socket of [client, upstream]) socket.on('error', () => socket.terminate())
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    fromClient,
    fromServer,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
