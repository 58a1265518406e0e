import { SessionError } from '@hermes/core/sessions/store.ts'
import type { ChatCommand } from './command.ts'
import { currentSession, nothingYet } from './current-session.ts'

export const title: ChatCommand = {
  name: 'title',
  args: '[name]',
  summary: 'Show or set the title of this conversation',
  async run(call) {
    const session = await currentSession(call)
    if (!session) return nothingYet
    if (call.args === '') return session.title ? `Title: ${session.title}` : 'It has no title yet. Set one: /title NAME'
    try {
      const stored = await call.agent.sessions.rename(session.id, call.args)
      return stored === undefined ? 'Nothing is left of that title.' : `Title: ${stored}`
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      return `${error.message}.`
    }
  },
}
