import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'

/**
 * The skills that a message's place asks for (a channel, a topic, a webhook's route), as text for the first message of a
 * conversation; empty where it asks for none, or the conversation has them already.
 */
export async function placeSkills(
  { source, skills = [], prepared }: Pick<InboundMessage, 'source' | 'skills' | 'prepared'>,
  sessionId: string,
  agent: AgentContext,
): Promise<readonly string[]> {
  // A message that is answered anew has them in its text.
  if (skills.length === 0 || prepared?.replaces !== undefined) return []
  const session = await agent.sessions.get(sessionId)
  if (session && session.messageCount > 0) return []
  const { preloadSkills } = await import('@hermes/core/skills/skill-message.ts')
  const { text, missing, warnings } = await preloadSkills({ ...agent, platform: source.platform }, skills)
  for (const warning of warnings) agent.log.warn({ warning }, 'skill of a chat')
  const lost = missing.map((name) => `"${name}"`).join(', ')
  return [text, lost === '' ? '' : `[Skills that this place asks for are not there: ${lost}. Mention it.]`].filter(
    Boolean,
  )
}
