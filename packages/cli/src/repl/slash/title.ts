import { SessionError } from '@hermes/core/sessions/store.ts'
import type { SlashCommand } from './slash-command.ts'

export const title: SlashCommand = {
  name: 'title',
  args: '[name]',
  summary: "Show or set the session's title",
  category: 'Session',
  duringTurn: true,
  async run(args, chat) {
    const { agent, session, view } = chat
    const stored = await agent.sessions.get(session.id)
    if (args === '') {
      const current = stored?.title ?? chat.pendingTitle
      view.print(
        current ? `Title: ${current}` : 'This session has no title yet. Set one: /title NAME',
        current ? 'plain' : 'dim',
      )
      return
    }
    if (!stored) {
      chat.pendingTitle = args
      view.print(`The session gets the title "${args}" with its first message.`, 'dim')
      return
    }
    try {
      view.print(`Title: ${await agent.sessions.rename(session.id, args)}`)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      view.print(error.message, 'warning')
    }
  },
}
