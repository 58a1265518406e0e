import type { AgentContext } from '../agent/context.ts'
import type { SkillScope } from './skill-scope.ts'

/** The skills as one session of an agent sees them: its face may have some switched off. */
export async function sessionSkills(agent: AgentContext, sessionId: string): Promise<SkillScope> {
  const { home, config, environment } = agent
  const session = await agent.sessions.get(sessionId)
  return { home, config, environment, ...(session && { platform: session.source }) }
}
