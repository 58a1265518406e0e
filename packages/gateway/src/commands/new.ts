import { newSessionId } from '@hermes/core/sessions/session-id.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { dropWaiting } from './drop-waiting.ts'

export const startNew: ChatCommand = {
  name: 'new',
  aliases: ['reset'],
  summary: 'Begin a new conversation; the present one is kept',
  async run(call) {
    const { agent, message, sessionKey, chats } = call
    const { lanes, sessions, settings } = chats
    const dropped = dropWaiting(sessionKey, 'The user began a new conversation.', lanes)
    const before = await sessions.find(sessionKey)
    await settings.setModel(sessionKey, undefined)
    await settings.setReasoning(sessionKey, undefined)
    await sessions.moveTo(sessionKey, newSessionId(agent.clock), message.source)
    if (before) await leave(before.sessionId, call)
    const facts = { platform: message.source.platform, user_id: message.source.userId ?? '', session_key: sessionKey }
    for (const event of ['session:end', 'session:reset']) chats.hooks.emit(event, facts)
    return ['✨ A new conversation. The last one is kept.', ...dropped, ...(await modelOf(call))].join('\n')
  },
}

/** What answers from now on, where that is known at once. */
async function modelOf({ agent }: CommandCall): Promise<readonly string[]> {
  const { ModelError } = await import('@hermes/core/models/model-error.ts')
  const { modelLine } = await import('@hermes/core/models/choice/model-text.ts')
  try {
    return [modelLine(await agent.models.resolve(undefined, AbortSignal.timeout(500)))]
  } catch (error) {
    if (error instanceof ModelError || (error instanceof DOMException && error.name === 'TimeoutError')) return []
    throw error
  }
}

/** What should stay of the conversation that is left is written down meanwhile. */
async function leave(sessionId: string, { agent, message }: CommandCall): Promise<void> {
  const { platform } = message.source
  if (await agent.sessions.get(sessionId)) await agent.sessions.end(sessionId, 'session_reset')
  agent.scopes.get(sessionId).background('save the session', async (signal) => {
    const { saveSession } = await import('@hermes/core/agent/save-session.ts')
    const { nobody } = await import('@hermes/core/agent/decision.ts')
    const turn = { session: { id: sessionId, source: platform }, face: { name: platform, decide: nobody } }
    await saveSession({ turn }, agent, signal)
  })
}
