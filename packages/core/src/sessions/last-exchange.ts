import { isSummaryMessage } from '../context/compaction/summary-message.ts'
import type { SessionStore } from './store.ts'

/** Removes the last message of the person and everything after it; resolves to its text, undefined where there is none. */
export async function removeLastExchange(sessions: SessionStore, sessionId: string): Promise<string | undefined> {
  const messages = await sessions.messages(sessionId)
  const last = messages.findLast(({ message }) => message.role === 'user' && !isSummaryMessage(message))
  if (!last) return undefined
  await sessions.removeMessages(sessionId, last.id)
  return last.message.content
}
