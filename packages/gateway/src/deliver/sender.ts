import type { Logger } from '@hermes/core/log/logger.ts'
import type { OutboxEntry, Outbox } from '../store/outbox.ts'
import type { OutboundPart, SentRef } from '../messages/outbound-message.ts'
import type { Connection } from '../platforms/platform.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { RateBudget } from './rate-budget.ts'

/** Tries of one part. After the last one it is given up. */
const maxAttempts = 8
const firstWaitMs = 2_000
const maxWaitMs = 300_000

/** How long a message that is under way at the end may take, ms. */
const settleMs = 5_000

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
        const { ready, nextAt } = await outbox.next(platform)
        for (const entry of ready) if (!busy.has(entry.id)) begin(entry)
        if (nextAt !== undefined && !ending.signal.aborted) {
          timer = setTimeout(() => void look(), Math.max(0, nextAt - now()))
        }
      } while (isAskedAgain && !ending.signal.aborted)
    } catch (error) {
      log.error({ platform, error: String(error) }, 'the outbox cannot be read')
      if (!ending.signal.aborted) timer = setTimeout(() => void look(), firstWaitMs)
    } finally {
      isLooking = false
    }
  }

  function begin(entry: OutboxEntry): void {
    const done = deliver(entry, options, { ending: ending.signal, cutting: cutting.signal })
      .catch((error: unknown) => log.error({ platform, error: String(error) }, 'a delivery broke'))
      .finally(() => {
        busy.delete(entry.id)
        if (!ending.signal.aborted) void look()
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

interface DeliverySignals {
  /** Nothing more is begun. */
  readonly ending: AbortSignal
  /** What is under way is given up. */
  readonly cutting: AbortSignal
}

async function deliver(
  entry: OutboxEntry,
  options: SenderOptions,
  { ending, cutting }: DeliverySignals,
): Promise<void> {
  const { connection, outbox, budget, log, now, platform } = options
  try {
    await budget.take(entry.chat, 'final', ending)
  } catch {
    // The connection ends; what is queued stays queued.
    return
  }
  await outbox.sending(entry.id)
  // An edit that is made again changes nothing.
  const isDoubtful = entry.isUncertain && entry.editOf === undefined
  const part = isDoubtful && entry.part.type === 'text' ? labelled(entry.part) : entry.part
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
    await outbox.sent(entry.id, sent.messageId)
  } catch (error) {
    const { code, message, retryAfterMs } = asPlatformError(error)
    log.warn({ platform, code, error: message }, 'a message did not go out')
    const isUncertain = entry.isUncertain || code === 'uncertain'
    if (code === 'rate-limited') {
      const wait = retryAfterMs ?? firstWaitMs
      budget.penalty(wait, entry.chat)
      await outbox.later(entry.id, { notBefore: now() + wait, error: message, isUncertain })
    } else if (isForNothing(code) || entry.attempts + 1 >= maxAttempts) {
      await outbox.dead(entry.id, `${code}: ${message}`)
    } else {
      const notBefore = now() + waitAfter(entry.attempts)
      await outbox.later(entry.id, { notBefore, error: message, isUncertain })
    }
  }
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
function labelled<Part extends { readonly text: string }>(part: Part): Part {
  return { ...part, text: `${part.text}\n\n_(Perhaps sent twice: the first try was interrupted.)_` }
}

function asPlatformError(error: unknown): PlatformError {
  return error instanceof PlatformError ? error : new PlatformError('uncertain', String(error), { cause: error })
}

function isForNothing(code: PlatformError['code']): boolean {
  return code === 'refused' || code === 'gone' || code === 'too-long' || code === 'bad-format'
}

function waitAfter(attempts: number): number {
  const wait = Math.min(maxWaitMs, firstWaitMs * 2 ** attempts)
  return wait / 2 + (Math.random() * wait) / 2
}
