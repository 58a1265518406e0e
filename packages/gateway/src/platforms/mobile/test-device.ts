import { once } from 'node:events'
import type { MobileClientFrameInput, MobileFrameOf, MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { parseMobileServerFrame } from '@hermes/protocol/mobile/parse-frame.ts'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'

type FrameOf<T extends MobileServerFrame['t']> = MobileFrameOf<MobileServerFrame, T>

/** A device for tests: says what it is told to and keeps what it hears. */
export interface TestDevice extends AsyncDisposable {
  readonly socket: WebSocket
  /** All that came, in order; each has passed its schema. */
  readonly frames: readonly MobileServerFrame[]
  send(frame: MobileClientFrameInput | string | Buffer): void
  /** The next frame of a kind that nobody has taken yet. */
  next<T extends MobileServerFrame['t']>(t: T): Promise<FrameOf<T>>
  /** The texts up to the end of the next reply. */
  reply(): Promise<string>
  acknowledge(): void
  /** Code and reason of its end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** As if the network broke. */
  cut(): void
}

export interface TestDeviceOptions {
  readonly url: string
  readonly token?: string
  readonly id?: string
  /** Says no hello by itself. */
  readonly isSilent?: boolean
  readonly socket?: ClientOptions
}

/** Longest that a frame is waited for, ms. */
const waitMs = 30_000

export async function connectDevice(options: TestDeviceOptions): Promise<TestDevice> {
  const { url, token = 'the-token', id = 'phone-1', isSilent = false } = options
  const socket = new WebSocket(url, { perMessageDeflate: false, ...options.socket })
  const frames: MobileServerFrame[] = []
  const untaken = new Map<string, MobileServerFrame[]>()
  const watchers = new Set<() => void>()
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  socket.on('message', (data: Buffer) => {
    const parsed = parseMobileServerFrame(data)
    if (!parsed.ok) throw new Error(`the server sent what is no frame: ${parsed.message}`)
    frames.push(parsed.frame)
    const { t } = parsed.frame
    const same = untaken.get(t)
    if (same) same.push(parsed.frame)
    else untaken.set(t, [parsed.frame])
    for (const watcher of watchers) watcher()
  })
  socket.on('error', () => undefined)
  socket.on('close', (code, reason) => {
    closed.resolve({ code, reason: reason.toString() })
    for (const watcher of watchers) watcher()
  })
  await once(socket, 'open')

  async function next<T extends MobileServerFrame['t']>(t: T): Promise<FrameOf<T>> {
    const late = AbortSignal.timeout(waitMs)
    for (;;) {
      const found = untaken.get(t)?.shift()
      // They are kept by their kind.
      if (found) return found as FrameOf<T>
      if (socket.readyState === WebSocket.CLOSED)
        throw new Error(`closed before ${t}: ${JSON.stringify(frames).slice(0, 2_000)}`)
      await new Promise<void>((resolve, reject) => {
        const fail = () => reject(new Error(`no ${t} came: ${JSON.stringify(frames).slice(0, 2_000)}`))
        const seen = () => {
          watchers.delete(seen)
          late.removeEventListener('abort', fail)
          resolve()
        }
        watchers.add(seen)
        late.addEventListener('abort', fail, { once: true })
      })
    }
  }

  const device: TestDevice = {
    socket,
    frames,
    closed: closed.promise,
    next,
    send(frame) {
      socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
    },
    async reply() {
      let text = ''
      for (;;) {
        const message = await next('message')
        text += message.text
        if (message.final) return text
      }
    },
    acknowledge() {
      const ids = frames.flatMap((frame) => (frame.t === 'message' || frame.t === 'media' ? [frame.id] : []))
      for (const one of new Set(ids)) device.send({ t: 'ack', id: one })
    },
    cut: () => socket.terminate(),
    async [Symbol.asyncDispose]() {
      socket.close()
      await closed.promise
    },
  }
  if (!isSilent) {
    device.send({
      t: 'hello',
      v: 1,
      token,
      device: { id, name: 'Phone', platform: 'test', app_version: '1' },
      user: {},
    })
  }
  return device
}
