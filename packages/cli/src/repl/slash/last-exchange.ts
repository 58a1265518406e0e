import { isSummaryMessage } from '@hermes/core/context/compaction/summary-message.ts'
import { typedText } from '@hermes/core/context/references/attached-text.ts'
import { oneLine } from './one-line.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const retry: SlashCommand = {
  name: 'retry',
  summary: 'Send your last message again, in place of its answer',
  category: 'Session',
  duringTurn: false,
  async run(_args, chat) {
    const removed = await removeLastExchange(chat)
    if (removed === undefined) chat.view.print('There is no message to send again.', 'warning')
    else chat.enqueue(removed)
  },
}

export const undo: SlashCommand = {
  name: 'undo',
  summary: 'Take back your last message and its answer',
  category: 'Session',
  duringTurn: false,
  async run(_args, chat) {
    const removed = await removeLastExchange(chat)
    if (removed === undefined) chat.view.print('There is nothing to take back.', 'warning')
    else
      chat.view.print(
        `Taken back: ${oneLine(typedText(removed) || removed)}\n(What tools did meanwhile stays done.)`,
        'dim',
      )
  },
}

/** Removes the last message of the person and everything after it; resolves to its text. */
export async function removeLastExchange({ agent, session }: Chat): Promise<string | undefined> {
  const messages = await agent.sessions.messages(session.id)
  const last = messages.findLast(({ message }) => message.role === 'user' && !isSummaryMessage(message))
  if (!last) return undefined
  await agent.sessions.removeMessages(session.id, last.id)
  return last.message.content
}
