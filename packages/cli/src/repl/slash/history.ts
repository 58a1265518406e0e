import { showConversation } from '../show-conversation.ts'
import type { SlashCommand } from './slash-command.ts'

export const history: SlashCommand = {
  name: 'history',
  summary: 'Show the conversation of this session',
  category: 'Session',
  duringTurn: false,
  async run(_args, { agent, session, view }) {
    const messages = await agent.sessions.messages(session.id)
    if (messages.length === 0) view.print('No messages yet.', 'dim')
    else showConversation(messages, view, { most: 200 })
  },
}
