import type { Clock } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import { insertMessage } from './message-table.ts'
import { findSession, insertSession } from './session-table.ts'
import type { AdoptedSession } from './store.ts'

/** Takes over a session that was kept elsewhere. False where it is here already with messages, or has none. */
export function adoptSession(db: Database, clock: Clock, { messages, startedAt, ...session }: AdoptedSession): boolean {
  if (messages.length === 0 || (findSession(db, session.id)?.messageCount ?? 0) > 0) return false
  insertSession(db, { ...clock, now: () => startedAt }, session)
  for (const { timestamp, message } of messages) {
    insertMessage(db, { ...clock, now: () => timestamp }, session.id, message)
  }
  return true
}
