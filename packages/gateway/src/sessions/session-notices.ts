import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { CurrentSession } from './chat-sessions.ts'
import { homeChannel } from './home-channel.ts'
import { resetPolicyOf } from './reset-policy.ts'

/** Faces that have no home channel, or whose programs would take the hint for a part of the answer. */
const withoutHint: ReadonlySet<string> = new Set(['local', 'webhook', 'api_server', 'mobile'])

/** What a chat is told where its session begins: that the last one is over, how it becomes the home channel. */
export async function sessionNotices(
  session: CurrentSession,
  { config, environment, sessions }: Pick<AgentContext, 'config' | 'environment' | 'sessions'>,
): Promise<readonly string[]> {
  const { source, resetReason, before, isFirst } = session
  const notices: string[] = []
  if (resetReason !== undefined && before !== undefined) {
    const { notify, notify_exclude_platforms: excluded } = config.session_reset
    const hadActivity = ((await sessions.get(before))?.messageCount ?? 0) > 0
    if (notify && hadActivity && !excluded.includes(source.platform)) {
      const { atHour, idleMinutes } = resetPolicyOf(config, source.platform, source.chatType)
      const why =
        resetReason === 'idle' ? `nothing was said for ${duration(idleMinutes)}` : `a day begins at ${atHour}:00`
      notices.push(
        `✨ This is a new conversation, since ${why}. The last one is kept: /resume goes back to it. session_reset in config.yaml says when one ends.`,
      )
    }
  }
  if (isFirst && !withoutHint.has(source.platform) && !homeChannel(source.platform, { config, environment })) {
    const home = `${source.platform} has no home channel yet, where notices and results of jobs go`
    notices.push(`🏠 ${home}. /sethome makes it this chat.`)
  }
  return notices
}

function duration(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}
