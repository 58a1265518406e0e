import { readdir } from 'node:fs/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { SkillCommand } from '@hermes/core/skills/skill-commands.ts'

/** Skills as further entries of a service's menu of commands, without those that a command hides. */
export async function menuSkills(
  agent: Pick<AgentContext, 'home' | 'config' | 'environment'>,
  platform: string,
  commands: ReadonlySet<string>,
): Promise<readonly SkillCommand[]> {
  const own = await readdir(agent.home.path('skills')).catch(() => [])
  // Most homes of services have none: then nothing is loaded to find that out.
  if (own.length === 0 && agent.config.skills.external_dirs.length === 0) return []
  const { skillCommands } = await import('@hermes/core/skills/skill-commands.ts')
  return (await skillCommands({ ...agent, platform })).filter(({ command }) => !commands.has(command))
}
