import { wayBack } from '@hermes/core/sessions/choose-session.ts'
import { SessionError } from '@hermes/core/sessions/store.ts'
import type { SlashCommand } from './slash-command.ts'

export const branch: SlashCommand = {
  name: 'branch',
  aliases: ['fork'],
  args: '[name]',
  summary: 'Go on in a copy of this session; the session stays as it is',
  category: 'Session',
  duringTurn: false,
  async run(args, chat) {
    const { agent, session, view } = chat
    const stored = await agent.sessions.get(session.id)
    if (!stored || stored.messageCount === 0) {
      view.print('There is nothing to branch off yet.', 'warning')
      return
    }
    try {
      const child = await agent.sessions.branch(session.id, args === '' ? undefined : args)
      chat.goOnAs({ id: child.id, source: child.source })
      const back = await wayBack(agent.sessions, stored)
      view.print(`Now in "${child.title ?? child.id}". Back to the one before: /resume ${back}`)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      view.print(`${error.message}.`, 'warning')
    }
  },
}
