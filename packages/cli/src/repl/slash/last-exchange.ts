import { typedText } from '@hermes/core/context/references/attached-text.ts'
import { removeLastExchange } from '@hermes/core/sessions/last-exchange.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import type { SlashCommand } from './slash-command.ts'

export const retry: SlashCommand = {
  name: 'retry',
  summary: 'Send your last message again, in place of its answer',
  category: 'Session',
  duringTurn: false,
  async run(_args, chat) {
    const removed = await removeLastExchange(chat.agent.sessions, chat.session.id)
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
    const removed = await removeLastExchange(chat.agent.sessions, chat.session.id)
    if (removed === undefined) chat.view.print('There is nothing to take back.', 'warning')
    else
      chat.view.print(
        `Taken back: ${oneLine(typedText(removed) || removed)}\n(What tools did meanwhile stays done.)`,
        'dim',
      )
  },
}
