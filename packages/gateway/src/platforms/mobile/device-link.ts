import type { MobileErrorCode } from '@hermes/protocol/mobile/error-codes.ts'
import { mobileErrors } from '@hermes/protocol/mobile/error-codes.ts'
import { CLOSE_POLICY_VIOLATION } from '@hermes/protocol/mobile/constants.ts'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import type { WebSocket } from 'ws'
import type { DeliveryItem, DeliveryLog } from './delivery-log.ts'
import { sendMedia } from './send-media.ts'

/** What may wait in a connection before what only shows progress is left out, bytes. */
const progressBytes = 256 * 1024
/** What may be on its way before it is waited until the client has taken it, bytes. */
const flowBytes = 64 * 1024
/** Frames of the moment that wait for what was said before them; the oldest give way. */
const maxHeld = 64
/** What may wait before a client that sends and never reads is cut off, bytes. */
const mostBytes = 8 * 1024 * 1024

/** One connection of a device that was let in. */
export interface DeviceLink {
  readonly deviceId: string
  /** Up to where the other side is known to have got all. */
  readonly confirmed: number
  /** Sends an answer to what it sent. */
  answer(frame: MobileServerFrame): void
  fail(code: MobileErrorCode, message: string): void
  /** Sends what only holds for the moment; left out where the client is slow. */
  show(frame: MobileServerFrame): void
  /** Something was added to what is kept for the device. */
  wake(): void
  /** A ping of ours was answered. */
  ponged(data: Buffer): void
}

export interface DeviceLinkOptions {
  readonly socket: WebSocket
  readonly deviceId: string
  readonly log: DeliveryLog
  /** Ms since 1970. */
  readonly now: () => number
  /** Something broke that is not the client's fault. */
  readonly onFailure: (error: unknown) => void
}

/** Sends what is kept for a device, one after the other, as fast as the client takes it. */
export function createDeviceLink(options: DeviceLinkOptions): DeviceLink {
  const { socket, deviceId, log, now, onFailure } = options
  let place = 0
  let confirmed = 0
  let isPumping = false
  let isAskedAgain = false
  let held: MobileServerFrame[] = []

  const isOpen = () => socket.readyState === socket.OPEN
  const send = async (frame: MobileServerFrame): Promise<void> => {
    const text = JSON.stringify(frame)
    if (socket.bufferedAmount < flowBytes) return socket.send(text)
    await new Promise<void>((resolve, reject) => {
      socket.send(text, (error) => (error ? reject(error) : resolve()))
    })
  }

  const sendBytes = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(bytes, { binary: false }, (error) => (error ? reject(error) : resolve()))
    })

  async function pump(): Promise<void> {
    isAskedAgain = true
    if (isPumping) return
    isPumping = true
    try {
      while (isAskedAgain && isOpen()) {
        isAskedAgain = false
        for (let isOver = false; !isOver && isOpen();) {
          const item = await log.next(deviceId, place)
          isOver = item?.isLast ?? true
          if (!item || !isOpen()) break
          place = item.seq
          await deliver(item)
        }
      }
    } catch (error) {
      // What was under way is sent again on the next connection.
      if (isOpen()) onFailure(error)
      socket.terminate()
    } finally {
      isPumping = false
    }
    const waiting = held
    held = []
    for (const frame of waiting) link.show(frame)
  }

  async function deliver(item: DeliveryItem): Promise<void> {
    if (item.kind === 'media') return sendMedia(item.frame, sendBytes)
    if (item.kind === 'prompt') {
      const left = Math.ceil(item.frame.timeout_seconds - (now() - item.createdAt) / 1000)
      await log.shown(item.seq)
      return send({ ...item.frame, timeout_seconds: Math.max(1, left) })
    }
    await send(item.frame)
    // An acknowledgement may be of what came before under the same id; the answer to a ping says that this came too.
    if (item.kind !== 'message' && isOpen()) socket.ping(String(item.seq))
  }

  const link: DeviceLink = {
    deviceId,
    get confirmed() {
      return confirmed
    },
    answer(frame) {
      if (!isOpen()) return
      if (socket.bufferedAmount > mostBytes) socket.terminate()
      else socket.send(JSON.stringify(frame))
    },
    fail(code, message) {
      const { fatal } = mobileErrors[code]
      link.answer({ t: 'error', code, message, fatal })
      if (fatal && isOpen()) socket.close(CLOSE_POLICY_VIOLATION, code)
    },
    show(frame) {
      // What is shown belongs behind what was said before it.
      if (isPumping) held = [...held.slice(1 - maxHeld), frame]
      else if (isOpen() && socket.bufferedAmount <= progressBytes) socket.send(JSON.stringify(frame))
    },
    wake: () => void pump(),
    ponged(data) {
      const upTo = Number(data.toString('latin1'))
      if (!Number.isInteger(upTo) || upTo <= confirmed || upTo > place) return
      confirmed = upTo
      log.confirm(deviceId, upTo).catch(onFailure)
    },
  }
  return link
}
