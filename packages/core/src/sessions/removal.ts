import type { Database } from '../storage/database.ts'

/** How long one step of a removal may hold the database, so that other writers hardly notice. */
const stepMs = 8

/** How long the database is left to others between two steps. */
export const removalPauseMs = 8

/** Messages removed between two looks at the time. */
const rowsAtOnce = 20

/** What one step of a removal did. */
export interface RemovalStep {
  readonly messageIds: readonly number[]
  /** Whether the session itself is gone now. */
  readonly isDone: boolean
}

/**
 * Removes some of a session's messages and, once none is left, the session; its children stay, without a parent. Each
 * step is a transaction; a removal that is cut off is finished by the next one.
 */
export function removalStep(db: Database, id: string): RemovalStep {
  const until = performance.now() + stepMs
  const messageIds: number[] = []
  do {
    const rows = db
      .prepare('DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE session_id = ? LIMIT ?) RETURNING id')
      .all(id, rowsAtOnce)
    messageIds.push(...rows.map((row) => Number(row['id'])))
    if (rows.length < rowsAtOnce) {
      db.prepare('UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?').run(id)
      db.prepare('DELETE FROM sessions WHERE id = ?').run(id)
      return { messageIds, isDone: true }
    }
  } while (performance.now() < until)
  return { messageIds, isDone: false }
}

/** Ended sessions that started before a time (ms), oldest first. */
export function prunableSessions(db: Database, before: number, source: string | undefined): string[] {
  return db
    .prepare(
      `SELECT id FROM sessions WHERE ended_at IS NOT NULL AND started_at < ?1 AND (?2 IS NULL OR source = ?2)
       ORDER BY started_at`,
    )
    .all(before / 1000, source ?? null)
    .map((row) => String(row['id']))
}
