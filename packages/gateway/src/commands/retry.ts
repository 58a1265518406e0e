import { isSummaryMessage } from '@hermes/core/context/compaction/summary-message.ts'
import { typedText } from '@hermes/core/context/references/attached-text.ts'
import { removeLastExchange } from '@hermes/core/sessions/last-exchange.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import { cacheFolder } from '../media/cache-folder.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { betweenTurns, currentSession } from './current-session.ts'

export const retry: ChatCommand = {
  name: 'retry',
  summary: 'Answer my last message anew',
  async run(call) {
    return betweenTurns(call, async () => {
      const session = await currentSession(call)
      const messages = session ? await call.agent.sessions.messages(session.id) : []
      const last = messages.findLast(({ message }) => message.role === 'user' && !isSummaryMessage(message))
      if (!last) return 'There is no message to answer anew.'
      const { withoutImages } = await import('../turn/inbound-content.ts')
      // The agent is told of them and shown them anew.
      const { text, images } = withoutImages(last.message.content, await cacheFolder(call.agent.home, 'images'))
      return { ask: { text, isTyped: false, replaces: last.id, attachments: images } }
    })
  },
}

export const undo: ChatCommand = {
  name: 'undo',
  summary: 'Take back my last message and its answer',
  async run(call) {
    return betweenTurns(call, async () => {
      const session = await currentSession(call)
      const removed = session && (await removeOnce(session.id, call))
      if (removed === undefined) return 'There is nothing to take back.'
      const what = oneLine(typedText(removed) || removed)
      return `↩ Taken back${what && `: ${what}`}\n(What tools did meanwhile stays done.)`
    })
  },
}

/** Removes the last exchange, also where a crash has this done again. Its text is not known any more then. */
async function removeOnce(sessionId: string, call: CommandCall): Promise<string | undefined> {
  const { sessions } = call.agent
  const { length } = await sessions.messages(sessionId)
  if (call.begun?.sessionId === sessionId && length < call.begun.messagesBefore) return ''
  await call.begin(sessionId, length)
  return removeLastExchange(sessions, sessionId)
}
