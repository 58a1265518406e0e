import type { Database } from '../storage/database.ts'
import { toListing, toSession } from './session-row.ts'
import type { ListOptions, Session, SessionListing } from './store.ts'

const lastActive = `COALESCE((SELECT MAX(timestamp) FROM messages WHERE session_id = s.id), s.started_at)`

/** Enough of the first user message for a preview; SQLite counts characters. */
const firstText = `(SELECT substr(content, 1, 200) FROM messages
  WHERE session_id = s.id AND role = 'user' AND content IS NOT NULL ORDER BY timestamp, id LIMIT 1)`

/** Sessions as lists show them, those started last first. */
export function listSessions(db: Database, options: ListOptions): SessionListing[] {
  const excluded = options.excludeSources ?? (options.source === undefined ? ['tool'] : [])
  return db
    .prepare(
      `SELECT s.*, ${firstText} AS first_text, ${lastActive} AS last_active FROM sessions AS s
       WHERE (?1 IS NULL OR s.source = ?1)
         AND s.source NOT IN (SELECT value FROM json_each(?2))
         AND (?3 OR s.parent_session_id IS NULL)
       ORDER BY s.started_at DESC, s.id DESC LIMIT ?4 OFFSET ?5`,
    )
    .all(
      options.source ?? null,
      JSON.stringify(excluded),
      options.includeChildren ? 1 : 0,
      options.limit ?? 20,
      options.offset ?? 0,
    )
    .map(toListing)
}

/**
 * The conversation that was used last. A child counts where it carries its parent's conversation on, after a
 * compression or as a branch; delegated work does not. Sessions that were opened but never spoken in come last.
 */
export function latestSession(db: Database, source: string | undefined): Session | undefined {
  const row = db
    .prepare(
      `SELECT s.*, ${lastActive} AS last_active FROM sessions AS s
       LEFT JOIN sessions AS parent ON parent.id = s.parent_session_id
       WHERE (s.source = ?1 OR (?1 IS NULL AND s.source <> 'tool'))
         AND (parent.id IS NULL OR parent.end_reason IN ('compression', 'branched'))
       ORDER BY EXISTS (SELECT 1 FROM messages WHERE session_id = s.id) DESC, last_active DESC, s.started_at DESC
       LIMIT 1`,
    )
    .get(source ?? null)
  return row && toSession(row)
}
