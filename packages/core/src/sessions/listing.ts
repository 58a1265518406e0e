import type { Database } from '../storage/database.ts'
import { toListing, toSession } from './session-row.ts'
import type { ListOptions, Session, SessionListing } from './store.ts'

const lastActiveOf = (session: string) =>
  `MAX(${session}.started_at, COALESCE((SELECT MAX(timestamp) FROM messages WHERE session_id = ${session}.id), 0))`

const lastActive = lastActiveOf('s')

/** Enough of the first user message for a preview; SQLite counts characters. */
const firstText = `(SELECT substr(content, 1, 200) FROM messages
  WHERE session_id = s.id AND role = 'user' AND content IS NOT NULL ORDER BY timestamp, id LIMIT 1)`

/** When what carries a compacted session on was used last; UNION ends a ring. */
const usedAfterwards = `(
  WITH RECURSIVE later(id) AS (
    SELECT s.id
    UNION
    SELECT child.id FROM later
      JOIN sessions AS parent ON parent.id = later.id
      JOIN sessions AS child ON child.parent_session_id = parent.id
    WHERE parent.end_reason = 'compression' AND child.started_at >= parent.ended_at
  )
  SELECT MAX(${lastActiveOf('one')}) FROM later JOIN sessions AS one USING (id)
)`

/**
 * Whether a child is a branch, which lives beside its parent: that says so until somebody goes on with it, and what was
 * copied is older than the child.
 */
const isBranch = `EXISTS (
  SELECT 1 FROM sessions AS parent WHERE parent.id = s.parent_session_id AND parent.end_reason IS NOT 'compression'
    AND (parent.end_reason = 'branched'
      OR (SELECT MIN(timestamp) FROM messages WHERE session_id = s.id) < s.started_at)
)`

/**
 * Sessions as lists show them, those used last first: what carries a compacted session on counts as its use. Where
 * children are listed too, each stands for itself.
 */
export function listSessions(db: Database, options: ListOptions): SessionListing[] {
  const excluded = options.excludeSources ?? (options.source === undefined ? ['tool'] : [])
  return db
    .prepare(
      `WITH listed AS (
         SELECT id, started_at,
           CASE WHEN end_reason = 'compression' AND NOT ?3 THEN ${usedAfterwards}
             ELSE ${lastActive} END AS last_active
         FROM sessions AS s
         WHERE (?1 IS NULL OR source = ?1)
           AND source NOT IN (SELECT value FROM json_each(?2))
           AND (?3 OR parent_session_id IS NULL OR ${isBranch})
         ORDER BY last_active DESC, started_at DESC, id DESC LIMIT ?4 OFFSET ?5
       )
       SELECT s.*, ${firstText} AS first_text, last_active FROM listed JOIN sessions AS s USING (id)
       ORDER BY last_active DESC, s.started_at DESC, s.id DESC`,
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
