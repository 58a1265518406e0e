import type { AgentContext } from '@hermes/core/agent/context.ts'
import { showConversation } from './show-conversation.ts'
import type { View } from './view.ts'

/** Most messages of a resumed session that are shown. */
const mostShown = 40

/** Says which session goes on and shows it, as `display.resume_display` wants. */
export async function showResumed(
  id: string,
  { sessions, config }: Pick<AgentContext, 'sessions' | 'config'>,
  view: View,
): Promise<void> {
  const mode = config.display.resume_display
  if (mode === 'none') return
  const session = await sessions.get(id)
  const messages = await sessions.messages(id)
  const name = session?.title ? `"${session.title}"` : id
  const said = messages.filter(({ message }) => message.role === 'user').length
  if (mode === 'full') showConversation(messages, view, { most: mostShown })
  view.print(`Resumed ${name}: ${said} messages of yours, ${messages.length} in all.`, 'dim')
}
