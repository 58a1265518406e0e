import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'

/** Shows in a chat that the agent writes. */
export interface ShownTyping {
  /** Something has happened in the turn: while it waits for an answer of the person, nobody writes. */
  note(event: Pick<NumberedEvent, 'type'>): void
  stop(): void
}

/** Begins at once, and goes on until it is stopped; given up where the service has no time for it. */
export function showTyping({ connection, budget }: LiveConnection, chat: ChatRef, log: Logger): ShownTyping {
  const { typing } = connection
  if (!typing) return { note: () => {}, stop: () => {} }
  let asking = 0
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const show = async () => {
    try {
      if (asking === 0 && (await budget.take(chat, 'progress', ending.signal))) await typing.show(chat, ending.signal)
    } catch (error) {
      if (!ending.signal.aborted) log.debug({ error: String(error) }, 'typing is not shown')
    }
    if (!ending.signal.aborted) timer = setTimeout(() => void show(), typing.lastsMs * 0.8)
  }
  void show()
  return {
    note({ type }) {
      if (type === 'decision-request') asking++
      if (type === 'decision-result') asking = Math.max(0, asking - 1)
    },
    stop() {
      ending.abort()
      clearTimeout(timer)
    },
  }
}
