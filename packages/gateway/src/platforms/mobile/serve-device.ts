import { CLOSE_POLICY_VIOLATION, HELLO_TIMEOUT_MS } from '@hermes/protocol/mobile/constants.ts'
import type { MobileErrorCode } from '@hermes/protocol/mobile/error-codes.ts'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import type { RawData, WebSocket } from 'ws'
import type { LockOut } from '../../http/lock-out.ts'
import type { AvatarPages } from './avatar-pages.ts'
import { createDeviceLink } from './device-link.ts'
import type { DeviceLink } from './device-link.ts'
import { createFrameBudget } from './frame-budget.ts'
import { readyFrame } from './greet.ts'
import type { Greeter } from './greet.ts'
import { takeFrame } from './take-frame.ts'
import type { Caller, FrameServices } from './take-frame.ts'

/** Frames of more bytes are cleaned up after. */
const largeBytes = 512 * 1024

/** Frames and bytes of one connection that may wait to be dealt with; then it is not read from. */
const maxWaiting = { frames: 64, bytes: 4 * 1024 * 1024 }

const lockedOut = 'Too many wrong tokens came from this address. Wait a minute.'

export interface ServeOptions {
  readonly socket: WebSocket
  /** Where it comes from. */
  readonly address: string
  /** Beginning of URLs by which it reaches us: `http://host:8787`. */
  readonly origin: string
  /** Lets it send large frames. */
  readonly admit: () => void
  readonly greeter: Greeter
  readonly lockOut: LockOut
  readonly pages: AvatarPages
  readonly services: FrameServices
  readonly helloMs?: number
}

/** One connection from its first frame to its end. Its frames are dealt with one after the other. */
export function serveDevice(options: ServeOptions): void {
  const { socket, address, lockOut, services, helloMs = HELLO_TIMEOUT_MS } = options
  const { devices, host } = services
  let caller: Caller | undefined
  let isRefused = false
  let release = () => {}
  const late = setTimeout(() => refuse('auth_timeout', 'No hello came in time.'), helloMs)

  function refuse(code: MobileErrorCode, message: string): void {
    if (isRefused) return
    isRefused = true
    clearTimeout(late)
    const frame: MobileServerFrame = { t: 'error', code, message, fatal: true }
    socket.send(JSON.stringify(frame), () => socket.close(CLOSE_POLICY_VIOLATION, code))
  }

  async function take(bytes: Buffer, isBinary: boolean): Promise<void> {
    await takeOne(bytes, isBinary)
    if (bytes.length > largeBytes) services.collectGarbage()
  }

  async function takeOne(bytes: Buffer, isBinary: boolean): Promise<void> {
    if (isRefused || socket.readyState !== socket.OPEN) return
    if (caller) {
      if (isBinary) caller.link.fail('bad_frame', 'A frame is text')
      else await takeFrame(bytes, caller, services)
      return
    }
    if (lockOut.isLocked(address)) return refuse('auth_failed', lockedOut)
    const greeting = await options.greeter.greet(isBinary ? Buffer.alloc(0) : bytes)
    if (isRefused || socket.readyState !== socket.OPEN) return
    if (!greeting.ok) {
      if (greeting.isGuess) lockOut.failed(address)
      return refuse(greeting.code, greeting.message)
    }
    clearTimeout(late)
    options.admit()
    const { source, hello } = greeting
    const link = openLink(source.chatId)
    const page = options.pages.open(source.chatId)
    release = () => {
      devices.leave(link)
      page.close()
    }
    caller = { link, source, budget: createFrameBudget(() => performance.now()) }
    link.answer(readyFrame(hello, host.sessionKey(source), `${options.origin}/avatar/${page.capability}`))
    devices.join(link)
  }

  function openLink(deviceId: string): DeviceLink {
    const { log } = services
    const onFailure = (error: unknown) =>
      host.log.error({ error: String(error) }, 'what is kept for a device cannot be sent')
    return createDeviceLink({ socket, deviceId, log, now: () => host.clock.now(), onFailure })
  }

  if (lockOut.isLocked(address)) refuse('auth_failed', lockedOut)
  inTurn(socket, take, (error) => {
    host.log.error({ error: String(error) }, 'a connection of a device broke')
    socket.terminate()
  })
  socket.on('pong', (data: Buffer) => caller?.link.ponged(data))
  // What a socket fails with ends it; `close` follows.
  socket.on('error', (error) => host.log.debug({ error: String(error) }, 'a connection of a device failed'))
  socket.on('close', () => {
    clearTimeout(late)
    release()
  })
}

/** Gives the frames of a socket to `take`, one after the other; where many wait it is not read from. */
function inTurn(
  socket: WebSocket,
  take: (bytes: Buffer, isBinary: boolean) => Promise<void>,
  onFailure: (error: unknown) => void,
): void {
  const waiting: { readonly bytes: Buffer; readonly isBinary: boolean }[] = []
  let size = 0
  let isBusy = false

  async function work(): Promise<void> {
    isBusy = true
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await take(next.bytes, next.isBinary)
      size -= next.bytes.length
      const isLittle = waiting.length < maxWaiting.frames && size < maxWaiting.bytes
      if (socket.isPaused && isLittle) socket.resume()
    }
    isBusy = false
  }

  socket.on('message', (data: RawData, isBinary: boolean) => {
    const bytes = data as Buffer
    waiting.push({ bytes, isBinary })
    size += bytes.length
    if (waiting.length >= maxWaiting.frames || size >= maxWaiting.bytes) socket.pause()
    if (!isBusy) work().catch(onFailure)
  })
}
