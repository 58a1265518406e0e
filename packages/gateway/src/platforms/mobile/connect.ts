import { LOCKOUT_FAILURES, LOCKOUT_MS, LOCKOUT_WINDOW_MS } from '@hermes/protocol/mobile/constants.ts'
import { createLockOut } from '../../http/lock-out.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import type { Connection } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { createAskCards } from './ask-cards.ts'
import { createAvatarPages } from './avatar-pages.ts'
import { garbageCollector } from './collect-garbage.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { createDevices } from './devices.ts'
import { followTurn } from './follow-turn.ts'
import { account, createGreeter } from './greet.ts'
import { listen } from './listen.ts'
import { createOpenReplies } from './open-replies.ts'
import { say, sayInstead, tidyCopies } from './say.ts'
import type { MobileSettings } from './settings.ts'
import type { FrameServices } from './take-frame.ts'
import { openUploads } from './uploads.ts'

/** What is said waits here for its device, so that nothing paces it. */
const rates = { perSecond: 100_000, perChatSecond: 100_000 }

/** How often what waited too long is given up, ms. */
const tidyMs = 600_000

/** Waits that tests make short, ms. */
export interface MobileTiming {
  readonly helloMs?: number
  readonly pingMs?: number
  /** For the next part of a file. */
  readonly partMs?: number
}

/** Listens for devices. Throws `PlatformError`. */
export async function connectMobile(
  settings: MobileSettings,
  host: FaceHost,
  signal: AbortSignal,
  { helloMs, pingMs, partMs }: MobileTiming = {},
): Promise<Connection & { readonly port: number }> {
  signal.throwIfAborted()
  await using opening = new AsyncDisposableStack()
  const { clock, chats, home } = host
  const log = await openDeliveryLog(home, () => clock.now())
  opening.defer(() => log.close())
  await log.expirePrompts()
  const devices = createDevices()
  const replies = createOpenReplies(devices)
  opening.defer(() => replies.close())
  const onLate = (deviceId: string, id: string) =>
    devices.fail(deviceId, 'media_incomplete', `${id}: parts of the file did not come in time`)
  const uploads = await openUploads({ home, log: host.log, onLate, ...(partMs !== undefined && { waitMs: partMs }) })
  opening.defer(() => uploads.close())
  const cards = createAskCards({ devices, log, decisions: chats.decisions, logger: host.log })
  const pages = createAvatarPages(devices)
  const services: FrameServices = { host, devices, log, cards, replies, uploads, collectGarbage: garbageCollector() }
  const greeter = createGreeter(settings.token, host)
  const lockOut = createLockOut({
    failures: LOCKOUT_FAILURES,
    windowMs: LOCKOUT_WINDOW_MS,
    lockedMs: LOCKOUT_MS,
    now: () => clock.now(),
  })
  const server = await listen(settings, {
    pages,
    log: host.log,
    ...(pingMs !== undefined && { pingMs }),
    async handler() {
      // What frames look like is not read before a device comes.
      const { serveDevice } = await import('./serve-device.ts')
      return (arrival) =>
        serveDevice({ ...arrival, greeter, lockOut, pages, services, ...(helloMs !== undefined && { helloMs }) })
    },
  })
  opening.use(server)
  opening.defer(() => pages.close())
  const tidy = () => {
    Promise.all([log.tidy(), tidyCopies({ log, home })]).catch((error: unknown) =>
      host.log.error({ error: String(error) }, 'what is kept for devices cannot be tidied'),
    )
  }
  tidy()
  const tidying = setInterval(tidy, tidyMs).unref()
  opening.defer(() => clearInterval(tidying))
  const held = opening.move()

  const told = (deviceId: string) => {
    devices.wake(deviceId)
    replies.said(deviceId)
  }
  return {
    port: server.port,
    account,
    rates,
    knowsKeys: true,
    closed: server.closed,
    async send(chat: ChatRef, part, { key, replyTo, answers, isNotice }) {
      const deviceId = chat.chatId
      // A notice beside a turn is not the reply that the device waits for.
      const isFinal = !(isNotice && answers === undefined && replies.isOpen(deviceId))
      const saying = { deviceId, key, isFinal, ...(replyTo !== undefined && { replyTo }) }
      const messageId = await say(part, saying, { log, home })
      told(deviceId)
      return { chat, messageId }
    },
    editing: {
      async edit({ chat, messageId }, text) {
        await sayInstead({ id: messageId, text, deviceId: chat.chatId, isFinal: true }, { log })
        told(chat.chatId)
      },
    },
    face: {
      begin: (turn) =>
        followTurn(turn, { devices, log, home, replies, config: chats.live.current.config, logger: host.log }),
      ask: (question) => cards.ask(question),
      asked: (question, answer) => cards.asked(question, answer),
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
