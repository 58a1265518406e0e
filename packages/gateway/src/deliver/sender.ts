import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { OutboxEntry, Outbox } from '../store/outbox.ts'
import type { OutboundPart, SentRef } from '../messages/outbound-message.ts'
import type { Connection } from '../platforms/platform.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { RateBudget } from './rate-budget.ts'

/**
 * Tries of one part that may have reached its chat; after the last one it is given up. What has certainly not arrived is
 * tried for as long as the outbox keeps it.
 */
const maxAttempts = 8
const firstWaitMs = 2_000
const maxWaitMs = 300_000

/** How long a message that is under way at the end may take, ms. */
const settleMs = 5_000

/** Timers take no more, ms. */
const maxTimerMs = 2 ** 31 - 1

export interface SenderOptions {
  readonly platform: string
  readonly connection: Connection
  readonly outbox: Outbox
  readonly budget: RateBudget
  readonly log: Logger
  /** Ms since 1970. */
  readonly now: () => number
}

/** Sends what is queued for one platform, each chat in its order and chats side by side. */
export interface Sender extends AsyncDisposable {
  /** Something was queued. */
  wake(): void
}

/** Begins at once with what is queued. */
export function startSender(options: SenderOptions): Sender {
  const { platform, outbox, now, log } = options
  const ending = new AbortController()
  const cutting = new AbortController()
  const busy = new Map<number, Promise<void>>()
  /** Seen while they were busy: others may wait behind them. */
  const seenAgain = new Set<number>()
  /** Ended since the outbox was read. */
  const ended = new Set<number>()
  const arrived = new Map<number, string>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isAskedAgain = false

  async function look(): Promise<void> {
    if (isLooking) {
      isAskedAgain = true
      return
    }
    isLooking = true
    try {
      do {
        isAskedAgain = false
        clearTimeout(timer)
        ended.clear()
        const { ready, nextAt, unreadable = [] } = await outbox.next(platform)
        for (const id of unreadable) await setAside(id)
        for (const entry of ready) {
          if (busy.has(entry.id)) seenAgain.add(entry.id)
          else if (ended.has(entry.id)) isAskedAgain = true
          else begin(entry)
        }
        if (nextAt !== undefined && !ending.signal.aborted) {
          timer = setTimeout(() => void look(), Math.min(maxTimerMs, Math.max(0, nextAt - now())))
        }
      } while (isAskedAgain && !ending.signal.aborted)
    } catch (error) {
      log.error({ platform, error: String(error) }, 'the outbox cannot be read')
      if (!ending.signal.aborted) timer = setTimeout(() => void look(), firstWaitMs)
    } finally {
      isLooking = false
    }
  }

  /** Nobody knows what it says or where it goes, so that it would only hold up what is behind it. */
  async function setAside(id: number): Promise<void> {
    log.error(
      { platform, id },
      'a queued message cannot be read and is set aside; "hermes gateway deliveries --failed" shows it',
    )
    await outbox.dead(id, 'unreadable: what was queued cannot be read')
    isAskedAgain = true
  }

  function begin(entry: OutboxEntry): void {
    const done = deliver(entry, options, { ending: ending.signal, cutting: cutting.signal, arrived })
      .catch(async (error: unknown) => {
        log.error({ platform, error: String(error) }, 'a delivery broke')
        // The store cannot be written: that does not mend at once.
        await wait(firstWaitMs, undefined, { signal: ending.signal }).catch(() => undefined)
        return false
      })
      .then((isSent) => {
        busy.delete(entry.id)
        if (isLooking) ended.add(entry.id)
        const isAlone = isSent && entry.isLast && !seenAgain.has(entry.id)
        seenAgain.delete(entry.id)
        if (!isAlone && !ending.signal.aborted) void look()
      })
    busy.set(entry.id, done)
  }

  void look()
  return {
    wake: () => void look(),
    async [Symbol.asyncDispose]() {
      ending.abort()
      clearTimeout(timer)
      // What is cut off is in doubt and said twice, so what is under way may end.
      const cut = setTimeout(() => cutting.abort(), settleMs)
      await Promise.all(busy.values())
      clearTimeout(cut)
    },
  }
}

interface DeliveryState {
  /** Nothing more is begun. */
  readonly ending: AbortSignal
  /** What is under way is given up. */
  readonly cutting: AbortSignal
  /** Ids of messages that have arrived, which could not be noted: by what was queued. */
  readonly arrived: Map<number, string>
}

/** Resolves to whether it is sent. */
async function deliver(
  entry: OutboxEntry,
  options: SenderOptions,
  { ending, cutting, arrived }: DeliveryState,
): Promise<boolean> {
  const { connection, outbox, budget, log, now, platform } = options
  if (arrived.has(entry.id)) return noteArrival(entry.id, outbox, arrived)
  try {
    await budget.take(entry.chat, 'final', ending)
  } catch {
    // The connection ends; what is queued stays queued.
    return false
  }
  if (!(await outbox.sending(entry.id, { isDoubtful: connection.knowsKeys !== true }))) return false
  // An edit that is made again changes nothing.
  const isDoubtful = entry.isUncertain && entry.editOf === undefined && connection.knowsKeys !== true
  const part = isDoubtful ? labelled(entry.part) : entry.part
  const { key, replyTo, answers, isNotice } = entry
  const how = {
    key,
    ...(replyTo !== undefined && { replyTo }),
    ...(answers !== undefined && { answers }),
    ...(isNotice && { isNotice }),
  }
  try {
    const send = (one: OutboundPart) => connection.send(entry.chat, one, how, cutting)
    const sent =
      (await editedInPlace({ ...entry, part }, connection, cutting)) ??
      // What fits alone may not with the label.
      (await send(part).catch((error: unknown) => {
        if (part === entry.part || asPlatformError(error).code !== 'too-long') throw error
        return send(entry.part)
      }))
    arrived.set(entry.id, sent.messageId)
  } catch (error) {
    const { code, message, retryAfterMs } = asPlatformError(error)
    log.warn({ platform, code, error: message }, 'a message did not go out')
    const isUncertain = entry.isUncertain || code === 'uncertain'
    const isCounted = code === 'uncertain'
    const attempts = entry.attempts + (isCounted ? 1 : 0)
    if (code === 'rate-limited') {
      const delay = retryAfterMs ?? firstWaitMs
      budget.penalty(delay, entry.chat)
      await outbox.later(entry.id, { notBefore: now() + delay, error: message, isUncertain, attempts })
    } else if (isForNothing(code) || (isCounted && attempts >= maxAttempts)) {
      log.error({ platform, code, error: message }, 'a message is given up')
      await outbox.dead(entry.id, `${code}: ${message}`)
    } else {
      const delay = isCounted ? firstWaitMs * 2 ** entry.attempts : Math.max(firstWaitMs, now() - entry.createdAt)
      await outbox.later(entry.id, { notBefore: now() + spread(delay), error: message, isUncertain, attempts })
    }
    return false
  }
  return noteArrival(entry.id, outbox, arrived)
}

/** Where it cannot be noted it is tried again: what has arrived is not sent again for that. */
async function noteArrival(id: number, outbox: Outbox, arrived: Map<number, string>): Promise<true> {
  await outbox.sent(id, arrived.get(id) ?? '')
  arrived.delete(id)
  return true
}

/** Gives a message of ours its text. Undefined where it is gone or cannot be edited: then a new one is sent. */
async function editedInPlace(
  { chat, part, editOf }: OutboxEntry,
  { editing }: Connection,
  signal: AbortSignal,
): Promise<SentRef | undefined> {
  if (editOf === undefined || !editing || part.type !== 'text' || part.buttons) return undefined
  const message = { chat, messageId: editOf }
  try {
    await editing.edit(message, part.text, signal)
    return message
  } catch (error) {
    if (error instanceof PlatformError && ['gone', 'refused', 'bad-format', 'too-long'].includes(error.code)) {
      return undefined
    }
    throw error
  }
}

/** Sent before, perhaps: whoever gets it twice should know why. */
function labelled(part: OutboundPart): OutboundPart {
  const told = (text: string) => `${text}\n\n_(Perhaps sent twice: the first try was interrupted.)_`.trimStart()
  return part.type === 'text' ? { ...part, text: told(part.text) } : { ...part, caption: told(part.caption ?? '') }
}

function asPlatformError(error: unknown): PlatformError {
  return error instanceof PlatformError ? error : new PlatformError('uncertain', String(error), { cause: error })
}

function isForNothing(code: PlatformError['code']): boolean {
  return code === 'refused' || code === 'gone' || code === 'too-long' || code === 'bad-format'
}

function spread(delay: number): number {
  const most = Math.min(maxWaitMs, delay)
  return most / 2 + (Math.random() * most) / 2
}
