import type { AgentContext } from '@hermes/core/agent/context.ts'
import { CommandError } from './command.ts'

/** Copies bundled skills that are new or improved into the home. Failing is logged: the chat goes on without them. */
export async function syncSkills({ home, environment, log }: AgentContext, signal: AbortSignal): Promise<void> {
  const { syncBundledSkills } = await import('@hermes/core/skills/bundled/sync.ts')
  try {
    await syncBundledSkills({ home, environment, signal })
  } catch (error) {
    if (signal.aborted) return
    log.warn({ error: String(error) }, 'bundled skills could not be copied')
  }
}

/** The text of the skills that `--skills` names, for the system prompt. Throws `CommandError` for unknown ones. */
export async function skillsText(
  agent: AgentContext,
  platform: string,
  names: readonly string[] | undefined,
): Promise<string> {
  if (!names || names.length === 0) return ''
  const { preloadSkills } = await import('@hermes/core/skills/skill-message.ts')
  const { text, missing } = await preloadSkills({ ...agent, platform }, names)
  if (missing.length > 0) {
    throw new CommandError(`Unknown skill(s): ${missing.join(', ')}. "hermes skills list" shows those that are there.`)
  }
  return text
}
