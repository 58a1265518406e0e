import type { AgentContext } from '@hermes/core/agent/context.ts'
import { isSummaryMessage } from '@hermes/core/context/compaction/summary-message.ts'
import type { Session, StoredMessage } from '@hermes/core/sessions/store.ts'

/** Most sessions that a conversation is followed back through. */
const maxAncestors = 100

/**
 * What was said in a conversation, oldest first: at least `wanted` messages where there are so many. What a compaction has
 * taken out of the session comes from those before it; its summary is no part of the conversation.
 */
export async function transcriptOf(
  session: Session,
  wanted: number,
  { sessions }: Pick<AgentContext, 'sessions'>,
): Promise<readonly StoredMessage[]> {
  let own = (await sessions.messages(session.id)).filter(isSaid)
  let [oldest, ancestors] = [session, 0]
  while (oldest.parentId !== undefined && own.length < wanted && ancestors++ < maxAncestors) {
    const parent = await sessions.get(oldest.parentId)
    if (parent?.endReason !== 'compression') break
    const before = (await sessions.messages(parent.id)).filter(isSaid)
    own = [...before, ...withoutCarried(own, before)]
    oldest = parent
  }
  return own
}

function isSaid({ message }: StoredMessage): boolean {
  return (message.role === 'user' || message.role === 'assistant') && !isSummaryMessage(message)
}

/** What a session has beyond the messages that it took over: those are some of the ones before, in their order. */
function withoutCarried(own: readonly StoredMessage[], before: readonly StoredMessage[]): readonly StoredMessage[] {
  let [at, carried] = [0, 0]
  for (const { message } of own) {
    const found = before.findIndex((one, index) => {
      return index >= at && one.message.role === message.role && one.message.content === message.content
    })
    if (found < 0) break
    at = found + 1
    carried++
  }
  return own.slice(carried)
}
