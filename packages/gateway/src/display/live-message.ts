import type { ChatRef, SentRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import { PlatformError } from '../platforms/platform-error.ts'

export interface LiveMessageOptions {
  readonly live: LiveConnection
  readonly chat: ChatRef
  /** Time between two edits, ms. */
  readonly intervalMs: number
  /** So many characters that are not shown yet are worth an edit before that. */
  readonly worthwhile?: number
  /** Unique to the message, for services that know such keys. */
  readonly key: string
  /** The person's message that it answers. */
  readonly replyTo?: string
  /** A message that is there already, and goes on growing. */
  readonly present?: SentRef
  /** It was sent for the first time. */
  readonly onSent?: (message: SentRef) => void
  /** What went wrong; nothing more is shown then. */
  readonly onFailure: (error: unknown) => void
}

/** A message that is edited while its text grows. It never holds up anything: what there is no time for is left out. */
export interface LiveMessage {
  /** What it should say now. */
  show(text: string): void
  /** No more edits. Resolves to the message, where one was sent, and to what it says. */
  end(): Promise<{ readonly message: SentRef; readonly text: string } | undefined>
}

/** Shortest time between two edits, however much there is to show, ms. */
const leastMs = 1_000

/** Sends nothing before there is something to show. */
export function createLiveMessage(options: LiveMessageOptions): LiveMessage {
  const { live, chat, intervalMs, worthwhile = Infinity, key, replyTo, onSent, onFailure } = options
  const { connection, budget } = live
  const ending = new AbortController()
  /** Aborts where what an edit waits for would be out of date. */
  const over = new AbortController()
  const again = () => budget.take(chat, 'final', over.signal)
  let wanted = ''
  let shown = ''
  let message = options.present
  let timer: NodeJS.Timeout | undefined
  let timerAt = Infinity
  let working: Promise<void> = Promise.resolve()
  let isOver = false
  let lastAt = -Infinity

  async function update(): Promise<void> {
    timer = undefined
    timerAt = Infinity
    const text = wanted
    if (isOver || text === shown || text.trim() === '') return
    try {
      if (!(await budget.take(chat, 'progress', ending.signal))) return plan(intervalMs)
      lastAt = performance.now()
      if (message) await connection.editing?.edit(message, text, ending.signal, { again })
      else {
        const reply = replyTo === undefined ? {} : { replyTo }
        message = await connection.send(chat, { type: 'text', text }, { key, ...reply }, ending.signal)
        onSent?.(message)
      }
      shown = text
    } catch (error) {
      if (ending.signal.aborted || (over.signal.aborted && isAbort(error))) return
      if (error instanceof PlatformError && error.code === 'rate-limited') {
        budget.penalty(error.retryAfterMs ?? intervalMs, chat)
        plan(error.retryAfterMs ?? intervalMs)
        return
      }
      isOver = true
      onFailure(error)
      return
    }
    if (wanted !== shown) plan(intervalMs)
  }

  function plan(delay: number): void {
    if (isOver || timer) return
    timerAt = performance.now() + delay
    timer = setTimeout(() => {
      working = update()
    }, delay)
  }

  /** What has grown long is shown sooner. */
  function hasten(): void {
    const at = lastAt + Math.min(intervalMs, leastMs)
    if (!timer || wanted.length - shown.length < worthwhile || at >= timerAt) return
    clearTimeout(timer)
    timer = undefined
    plan(Math.max(0, at - performance.now()))
  }

  return {
    show(text) {
      wanted = text
      plan(Math.max(0, lastAt + intervalMs - performance.now()))
      hasten()
    },
    async end() {
      clearTimeout(timer)
      isOver = true
      over.abort()
      // An edit under way must not come after what is sent next.
      await working
      return message && { message, text: shown }
    },
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
