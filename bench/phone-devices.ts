import { once } from 'node:events'
import { WebSocket } from 'ws'

/** A phone that says what it is told to, in the process that measures. */
export interface BenchDevice {
  readonly id: string
  send(frame: object): void
  /** Resolves when it has been sent. */
  sent(frame: object): Promise<void>
  close(): Promise<void>
}

export interface DeviceOptions {
  readonly url: string
  readonly token: string
  readonly id: string
  /** A reply has ended. */
  readonly onReply: (id: string) => void
  /** A file has come whole; bytes. */
  readonly onFile?: (bytes: number) => void
}

interface ServerFrame {
  readonly t: string
  readonly id?: string
  readonly final?: boolean
  readonly size?: number
}

/** Connects a device by the mobile protocol. Resolves when it is let in. */
export async function connectDevice({ url, token, id, onReply, onFile }: DeviceOptions): Promise<BenchDevice> {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 32 * 1024 * 1024 })
  const ready = Promise.withResolvers<void>()
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  socket.on('error', ready.reject)
  socket.on('close', (code) => ready.reject(new Error(`the device was closed (${code})`)))
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as ServerFrame
    if (frame.t === 'ready') ready.resolve()
    if (!frame.final) return
    send({ t: 'ack', id: frame.id })
    if (frame.t === 'message') onReply(id)
    else if (frame.t === 'media') onFile?.(frame.size ?? 0)
  })
  await once(socket, 'open')
  send({ t: 'hello', v: 1, token, device: { id, name: 'Phone', platform: 'bench', app_version: '1' }, user: {} })
  await ready.promise
  return {
    id,
    send,
    sent: (frame) =>
      new Promise((resolve, reject) =>
        socket.send(JSON.stringify(frame), (error) => (error ? reject(error) : resolve())),
      ),
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
