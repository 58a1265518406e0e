import type { Logger } from '@hermes/core/log/logger.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'

/** Shows in a chat that the agent writes, until it is stopped; given up where the service has no time for it. */
export function showTyping({ connection, budget }: LiveConnection, chat: ChatRef, log: Logger): { stop(): void } {
  const { typing } = connection
  if (!typing) return { stop: () => {} }
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const show = async () => {
    try {
      if (await budget.take(chat, 'progress', ending.signal)) await typing.show(chat, ending.signal)
    } catch (error) {
      if (!ending.signal.aborted) log.debug({ error: String(error) }, 'typing is not shown')
    }
    if (!ending.signal.aborted) timer = setTimeout(() => void show(), typing.lastsMs * 0.8)
  }
  void show()
  return {
    stop() {
      ending.abort()
      clearTimeout(timer)
    },
  }
}
