import { wayBack } from '@hermes/core/sessions/choose-session.ts'
import { SessionError } from '@hermes/core/sessions/store.ts'
import type { ChatCommand } from './command.ts'
import { betweenTurns, currentSession, shownTo } from './current-session.ts'

export const branch: ChatCommand = {
  name: 'branch',
  aliases: ['fork'],
  args: '[name]',
  summary: 'Go on in a copy of this conversation',
  async run(call) {
    return betweenTurns(call, async () => {
      const session = await currentSession(call)
      if (!session || session.messageCount === 0) return 'There is nothing to branch off yet.'
      const { args, agent, chats, sessionKey, message } = call
      try {
        const child = await agent.sessions.branch(session.id, args === '' ? undefined : args)
        await chats.sessions.moveTo(sessionKey, child.id, message.source)
        const back = await wayBack(agent.sessions, session, shownTo(call))
        return `🌿 Now in "${child.title ?? child.id}". Back to the one before: /resume ${back}`
      } catch (error) {
        if (!(error instanceof SessionError)) throw error
        return `${error.message}.`
      }
    })
  },
}
