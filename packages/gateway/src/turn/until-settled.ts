import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Redactor } from '@hermes/core/security/redact.ts'
import { isOwnEnd } from '../lanes/lanes.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'

/** Tries of one message. */
const maxTries = 3

export interface Settling {
  readonly inbox: Inbox
  readonly agent: { readonly log: Logger; readonly redactor: Pick<Redactor, 'redact'> }
  readonly wake: (platform: string) => void
  /** The wait after the first try, which grows fourfold, ms. */
  readonly pauseMs?: number
}

/**
 * Runs what answers a message until the message has an end, also where that throws: one that was interrupted is dropped,
 * and what cannot be answered is told. `run` is given the message as far as it has come.
 */
export async function untilSettled(
  first: InboxEntry,
  run: (entry: InboxEntry) => Promise<void>,
  settling: Settling,
  signal: AbortSignal,
): Promise<void> {
  const { inbox, agent, pauseMs = 1_000 } = settling
  let entry: InboxEntry | undefined = first
  for (let tries = 1; entry; tries++) {
    try {
      return await run(entry)
    } catch (error) {
      if (isOwnEnd(signal)) throw error
      if (signal.aborted) return void (await inbox.end([first.id], 'refused', []))
      agent.log.error({ error: String(error) }, 'a message cannot be answered')
      if (tries >= maxTries) return giveUp(first, error, settling)
    }
    await wait(pauseMs * 4 ** (tries - 1), undefined, { signal }).catch(() => undefined)
    entry = (await inbox.open()).find(({ id }) => id === first.id)
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
