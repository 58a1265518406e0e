import { setTimeout as wait } from 'node:timers/promises'
import type { ChatRef } from '../messages/outbound-message.ts'
import type { RateLimits } from '../platforms/platform.ts'

/** How urgent a call is: what is late is worse for a person (`final`), or soon out of date (`progress`). */
export type Urgency = 'final' | 'progress'

/** Timers take no more, ms. */
const maxTimerMs = 2 ** 31 - 1

/** Chats whose past calls are remembered. */
const maxChats = 2_000

/**
 * All calls to one account of a service pass here, so that its limits hold: so many a second, fewer for one chat and for
 * a group in a minute. After a refusal nothing is called until the time that the service named.
 */
export interface RateBudget {
  /** Waits for a turn. `progress` does not wait: false where a call is not allowed now. */
  take(chat: ChatRef, urgency: Urgency, signal: AbortSignal): Promise<boolean>
  /** A call about a chat is over: it may have reached the service as late as now, and counts from then on. */
  over(chat: ChatRef): void
  /** The service wants no calls for so long: from the whole account, or about one chat. */
  penalty(ms: number, chat?: ChatRef): void
}

/** `now`: monotonic ms. */
export function createRateBudget(limits: RateLimits, now: () => number = () => performance.now()): RateBudget {
  const account = createWindow(limits.perSecond, 1_000)
  const chats = new Map<
    string,
    { readonly second: CallWindow; readonly minute: CallWindow | undefined; until: number }
  >()
  let closedUntil = 0
  /** Those who wait are served in the order in which they came. */
  let last: Promise<unknown> = Promise.resolve()

  const chatOf = (chat: ChatRef) => {
    const key = JSON.stringify([chat.chatId])
    const isGroup = chat.chatType !== 'dm' && limits.perGroupMinute !== undefined
    const known = chats.get(key) ?? {
      second: createWindow(limits.perChatSecond, 1_000),
      minute: isGroup ? createWindow(limits.perGroupMinute ?? Infinity, 60_000) : undefined,
      until: 0,
    }
    chats.delete(key)
    if (chats.size >= maxChats) {
      const [oldest] = chats.keys()
      if (oldest !== undefined) chats.delete(oldest)
    }
    chats.set(key, known)
    return known
  }
  /** Ms until a call may be made. */
  const delayOf = (chat: ChatRef): number => {
    const at = now()
    const { second, minute, until } = chatOf(chat)
    return Math.max(closedUntil - at, until - at, account.delay(at), second.delay(at), minute?.delay(at) ?? 0, 0)
  }
  const note = (chat: ChatRef) => {
    const at = now()
    const { second, minute } = chatOf(chat)
    for (const window of [account, second, minute]) window?.add(at)
  }
  const inTurn = async (chat: ChatRef, signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted()
      const delay = delayOf(chat)
      if (delay <= 0) break
      await wait(Math.min(delay, maxTimerMs), undefined, { signal })
    }
    note(chat)
  }

  return {
    async take(chat, urgency, signal) {
      if (urgency === 'progress') {
        if (delayOf(chat) > 0) return false
        note(chat)
        return true
      }
      // A chat that has to wait long holds only itself up.
      if (delayOf(chat) > account.delay(now())) {
        await inTurn(chat, signal)
        return true
      }
      const turn = last.then(() => inTurn(chat, signal))
      last = turn.catch(() => undefined)
      await turn
      return true
    },
    over(chat) {
      const at = now()
      const { second, minute } = chatOf(chat)
      for (const window of [second, minute]) window?.delayLast(at)
    },
    penalty(ms, chat) {
      const until = now() + ms
      if (chat) {
        const known = chatOf(chat)
        known.until = Math.max(known.until, until)
      } else closedUntil = Math.max(closedUntil, until)
    },
  }
}

interface CallWindow {
  /** Ms until one more call fits. */
  delay(at: number): number
  add(at: number): void
  /** The latest call counts as of this time. */
  delayLast(at: number): void
}

/** At most `most` calls in any `lengthMs`; less than one call means longer pauses. */
function createWindow(most: number, lengthMs: number): CallWindow {
  const size = Math.max(1, Math.floor(most))
  const length = most < 1 ? lengthMs / most : lengthMs
  const calls: number[] = []
  return {
    delay(at) {
      while ((calls[0] ?? Infinity) <= at - length) calls.shift()
      return calls.length < size ? 0 : (calls[calls.length - size] ?? at) + length - at
    },
    add: (at) => void calls.push(at),
    delayLast(at) {
      if (calls.pop() !== undefined) calls.push(at)
    },
  }
}
