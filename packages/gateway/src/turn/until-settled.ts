import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Redactor } from '@hermes/core/security/redact.ts'
import { DatabaseError } from '@hermes/core/storage/database-error.ts'
import { isOwnEnd } from '../lanes/lanes.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { TurnSettlement } from '../platforms/turn-face.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'

/** Tries of one message where it is not the store that fails, and of noting its end. */
const [maxTries, maxNotes] = [3, 20]

/** Longest wait between two of them, ms. */
const maxPauseMs = 30_000

export interface Settling {
  readonly inbox: Inbox
  readonly agent: { readonly log: Logger; readonly redactor: Pick<Redactor, 'redact'> }
  readonly wake: (platform: string) => void
  /** The message has an end that its turn has not told: a face that shows the turn is told so. */
  readonly onEnd?: (outcome: TurnSettlement) => void
  /** Aborts with `signal`, or later, also for another reason: the last one counts. Default: `signal`. */
  readonly ending?: AbortSignal
  /** The wait after the first try, which grows, ms. */
  readonly pauseMs?: number
}

/**
 * Runs what answers a message until the message has an end, also where that throws: one that was interrupted is dropped,
 * what cannot be answered is told, and a store that cannot be written is waited for. `run` is given the message as far as
 * it has come.
 */
export async function untilSettled(
  first: InboxEntry,
  run: (entry: InboxEntry) => Promise<void>,
  settling: Settling,
  signal: AbortSignal,
): Promise<void> {
  const { inbox, agent, onEnd, ending = signal, pauseMs = 1_000 } = settling
  const openNow = async () => (await inbox.open().catch(() => [entry])).find(({ id }) => id === first.id)
  let entry = first
  let failures = 0
  for (let pause = pauseMs; ; pause = Math.min(maxPauseMs, pause * 4)) {
    let failure: unknown
    try {
      return await run(entry)
    } catch (error) {
      failure = error
    }
    if (isOwnEnd(ending)) throw failure
    if (!(await openNow())) return
    if (signal.aborted) {
      await noted(() => inbox.end([first.id], 'refused', []), settling)
      return onEnd?.({ status: 'interrupted', texts: 0, files: 0 })
    }
    agent.log.error({ error: String(failure) }, 'a message cannot be answered')
    // Nobody can be told either while nothing can be stored.
    if (!passes(failure) && ++failures >= maxTries) {
      await noted(() => giveUp(first, failure, settling), settling)
      return onEnd?.({ status: 'failed', texts: 1, files: 0 })
    }
    await wait(pause, undefined, { signal }).catch(() => undefined)
    const left = await openNow()
    if (!left) return
    entry = left
  }
}

/** Whether it is the store that fails, in a way that may end by itself. */
function passes(error: unknown): boolean {
  return error instanceof DatabaseError && ['locked', 'disk-full', 'io'].includes(error.code)
}

/** Notes an end, as soon as it can be. */
async function noted(note: () => Promise<unknown>, { pauseMs = 1_000 }: Settling): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await note())
    } catch (error) {
      if (!passes(error) || tries >= maxNotes) throw error
      await wait(Math.min(maxPauseMs, pauseMs * 2 ** tries), undefined, { ref: false })
    }
  }
}

async function giveUp({ id, message }: InboxEntry, error: unknown, { inbox, agent, wake }: Settling): Promise<void> {
  const { source, eventId, messageId } = message
  const why = agent.redactor.redact(error instanceof Error ? error.message : String(error)).slice(0, 500)
  const text = `⚠️ I cannot answer this message: ${why.toWellFormed()}\nPlease send it again later.`
  const part = { type: 'text', text } as const
  const reply = messageId === undefined ? {} : { replyTo: messageId }
  await inbox.end([id], 'failed', [{ key: `reply:${id}:0`, chat: chatOf(source), part, answers: eventId, ...reply }])
  wake(source.platform)
}
