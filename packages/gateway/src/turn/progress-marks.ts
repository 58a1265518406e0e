import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import type { ProgressMark } from '../platforms/platform.ts'

/** Longest that a reaction may take, ms. */
const markMs = 10_000

/** How often it is looked whether there is room for one, ms. */
const againMs = 200

export interface MarkedMessage {
  readonly live: LiveConnection | undefined
  readonly chat: ChatRef
  /** The person's. */
  readonly messageId: string | undefined
  readonly log: Logger
}

/**
 * Shows on a person's message, by a reaction, that it is being worked on. Resolves to what shows how that ended;
 * `undefined` takes the reaction away. Nothing waits for a reaction.
 */
export function markProgress({ live, chat, messageId, log }: MarkedMessage): (mark: ProgressMark | undefined) => void {
  let last: Promise<void> = Promise.resolve()
  const show = (mark: ProgressMark | undefined) => {
    const reactions = live?.connection.reactions
    if (!reactions || messageId === undefined) return
    last = last
      .then(async () => {
        const signal = AbortSignal.timeout(markMs)
        // Texts go first.
        while (!(await live.budget.take(chat, 'progress', signal))) await wait(againMs, undefined, { signal })
        await reactions.react(chat, messageId, mark, signal)
      })
      .catch((error: unknown) => log.debug({ error: String(error) }, 'a reaction is not shown'))
  }
  show('working')
  return show
}
