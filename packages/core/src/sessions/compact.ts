import type { Clock } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { insertMessage } from './message-table.ts'
import { newSessionId } from './session-id.ts'
import { endSession, findSession, nextTitle, requireSession } from './session-table.ts'
import type { Session } from './store.ts'

/** Compactions in a row that are followed; a longer line is taken for a ring. */
const maxGenerations = 10_000

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

/** The session that carries a compacted one on now, over all compactions since; itself where there was none. */
export function sessionCarryingOn(db: Database, id: string): Session | undefined {
  const next = db.prepare(
    `SELECT child.id FROM sessions AS child JOIN sessions AS parent ON parent.id = child.parent_session_id
     WHERE parent.id = ? AND parent.end_reason = 'compression' AND child.started_at >= parent.ended_at
     ORDER BY child.started_at DESC, child.id DESC LIMIT 1`,
  )
  let last = id
  for (let i = 0; i < maxGenerations; i++) {
    const child = next.get(last)
    if (!child) break
    last = String(child['id'])
  }
  return findSession(db, last)
}
