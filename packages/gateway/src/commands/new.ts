import { newSessionId } from '@hermes/core/sessions/session-id.ts'
import type { ChatCommand } from './command.ts'

export const startNew: ChatCommand = {
  name: 'new',
  aliases: ['reset'],
  summary: 'Begin a new conversation; the present one is kept',
  async run({ message, sessionKey, chats }) {
    const { agent, lanes, sessions } = chats
    lanes.interrupt(sessionKey, 'The user began a new conversation.')
    const before = await sessions.find(sessionKey)
    await sessions.moveTo(sessionKey, newSessionId(agent.clock), message.source)
    if (before) leave(before.sessionId, message.source.platform, chats.agent)
    return '✨ A new conversation. The last one is kept.'
  },
}

/** What should stay of the conversation that is left is written down meanwhile. */
function leave(sessionId: string, platform: string, agent: Parameters<ChatCommand['run']>[0]['chats']['agent']): void {
  agent.scopes.get(sessionId).background('save the session', async (signal) => {
    const { saveSession } = await import('@hermes/core/agent/save-session.ts')
    const { nobody } = await import('@hermes/core/agent/decision.ts')
    const turn = { session: { id: sessionId, source: platform }, face: { name: platform, decide: nobody } }
    await saveSession({ turn }, agent, signal)
  })
}
