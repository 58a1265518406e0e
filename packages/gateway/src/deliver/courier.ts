import { setTimeout as wait } from 'node:timers/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import type { MessageLimits } from '../platforms/platform.ts'
import type { ChatSessions } from '../sessions/chat-sessions.ts'
import type { Outbox, Outgoing } from '../store/outbox.ts'
import { deliverFiles } from '../turn/deliver-files.ts'
import { boundedMessages } from './bounded-messages.ts'
import { DeliveryError } from './delivery-error.ts'
import { findTarget } from './target.ts'
import type { DeliveryOrigin } from './target.ts'

/** Something for a chat that no message of a person there asked for. */
export interface Parcel {
  /** The same for the same thing: it is brought once. */
  readonly key: string
  readonly chat: ChatRef
  /** Markdown; `MEDIA:` tags and images in it go as files. */
  readonly text: string
}

/** Brings things to the chats of the platforms that run here. */
export interface Courier {
  /** The chat that `origin`, `platform` or `platform:chat[:thread]` means; see `findTarget`. Throws `DeliveryError`. */
  find(target: string, origin?: DeliveryOrigin): Promise<ChatRef | undefined>
  /**
   * Queues it on disk, then waits until the platform has it. Resolves all the same when that takes long or `signal`
   * aborts: it stays queued. Throws `DeliveryError` where it never goes out.
   */
  deliver(parcel: Parcel, signal: AbortSignal): Promise<void>
}

export interface CourierOptions {
  readonly agent: () => AgentContext
  readonly db: Database
  readonly outbox: Outbox
  readonly sessions: ChatSessions
  readonly platforms: ReadonlyMap<string, { readonly limits: MessageLimits }>
  readonly wake: (platform: string) => void
}

/** How long it is waited for what becomes of a parcel, and how often it is looked, ms. */
const [waitMs, lookMs] = [30_000, 100]

export function createCourier({ agent, db, outbox, sessions, platforms, wake }: CourierOptions): Courier {
  return {
    find: (target, origin) =>
      findTarget(target, origin, { agent: agent(), sessions, platforms: [...platforms.keys()] }),
    async deliver(parcel, signal) {
      const { chat } = parcel
      const limits = platforms.get(chat.platform)?.limits
      const parts = await outgoingOf(parcel, { agent: agent(), limits }, signal)
      await outbox.add(parts)
      wake(chat.platform)
      await untilTaken(parts, db, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]))
    },
  }
}

/** What a parcel comes to: its text in parts that its platform takes, then its files. */
export async function outgoingOf(
  { key, chat, text }: Parcel,
  { agent, limits }: { readonly agent: AgentContext; readonly limits: MessageLimits | undefined },
  signal: AbortSignal,
): Promise<readonly Outgoing[]> {
  const { text: said, files } = await deliverFiles({ text, cwd: agent.home.path() }, agent, signal)
  return [
    ...(await boundedMessages({ key, chat, text: said, limits }, agent)),
    ...files.map((part, at) => ({ key: `${key}:file:${at}`, chat, part })),
  ]
}

/** Looks until all of them have ended. */
async function untilTaken(parts: readonly Outgoing[], db: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = await db.read(() => {
      const one = db.prepare('SELECT state, error FROM outbox WHERE key = ?')
      return parts.map(({ key }): Readonly<Record<string, unknown>> => one.get(key) ?? {})
    })
    const dead = rows.find(({ state }) => state === 'dead')
    if (dead) throw new DeliveryError(`It was not sent: ${String(dead['error'])}`)
    if (rows.every(({ state }) => state === 'sent')) return
    await wait(lookMs, undefined, { signal }).catch(() => undefined)
  }
}
