import type { Clock } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { insertMessage } from './message-table.ts'
import { newSessionId } from './session-id.ts'
import { endSession, nextTitle, requireSession } from './session-table.ts'
import type { Session } from './store.ts'

/**
 * Makes the child that goes on with `messages` in place of all that was said, and ends the session as `compression`.
 * The child has the next title of the lineage, and no system prompt yet: its first turn builds it anew.
 */
export function compactSession(
  db: Database,
  clock: Clock,
  parentId: string,
  messages: readonly TranscriptMessage[],
): Session {
  const parent = requireSession(db, parentId)
  const id = newSessionId(clock)
  const title = parent.title === undefined ? null : nextTitle(db, parent.title)
  // In this order, so that the child is told from delegated work: it starts when its parent has ended.
  endSession(db, clock, parentId, 'compression')
  db.prepare(
    `INSERT INTO sessions (id, source, user_id, model, model_config, parent_session_id, started_at, title)
     SELECT ?, source, user_id, model, model_config, id, ?, ? FROM sessions WHERE id = ?`,
  ).run(id, clock.now() / 1000, title, parentId)
  for (const message of messages) insertMessage(db, clock, id, message)
  return requireSession(db, id)
}
