import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Platform } from '../platforms/platform.ts'

/** Whether all messages of an answer are replies, not the first alone; that none is, the platform sees to itself. */
export function areAllReplies(
  platform: Pick<Platform, 'name' | 'variablePrefix'> | undefined,
  { config, environment }: Pick<AgentContext, 'config' | 'environment'>,
): boolean {
  if (!platform) return false
  const own = environment[`${platform.variablePrefix}_REPLY_TO_MODE`]
  return (own || config.platforms[platform.name]?.reply_to_mode || '').trim().toLowerCase() === 'all'
}
