import type { Database } from '../../storage/database.ts'
import { optional, text, transcriptRoleList } from '../message-row.ts'
import type { SearchHit, SearchOptions } from '../store.ts'

/** A message that the filters let through. */
export interface CandidateRow {
  readonly id: number
  readonly content: string
  /** Ms since the epoch. */
  readonly timestamp: number
  readonly sessionId: string
  readonly role: SearchHit['role']
  readonly toolName: string | undefined
}

/** Each filter, where it is asked for, as a condition on `messages AS m`; `?` is a JSON list. */
const filters = {
  roles: `m.role IN (SELECT value FROM json_each(?))`,
  sources: `m.session_id IN (SELECT id FROM sessions WHERE source IN (SELECT value FROM json_each(?)))`,
  excludeSources: `m.session_id NOT IN (SELECT id FROM sessions WHERE source IN (SELECT value FROM json_each(?)))`,
  excludeSessionIds: `m.session_id NOT IN (SELECT value FROM json_each(?))`,
} as const

/** What a compaction took along into the child, or summarised for it: found where it was said, and only there. */
const isTakenAlong = `EXISTS (
  SELECT 1 FROM sessions AS child JOIN sessions AS parent ON parent.id = child.parent_session_id
    JOIN messages AS original ON original.session_id = parent.id
  WHERE child.id = m.session_id AND parent.end_reason = 'compression'
    AND (m.content LIKE '[CONTEXT COMPACTION%' OR (original.role = m.role AND original.content = m.content)))`

/** The messages of some ids that the filters let through, newest first. */
export function candidateRows(db: Database, ids: readonly number[], options: SearchOptions): CandidateRow[] {
  const asked = (['roles', 'sources', 'excludeSources', 'excludeSessionIds'] as const).filter((name) => options[name])
  const conditions = asked.map((name) => ` AND ${filters[name]}`).join('')
  return db
    .prepare(
      `SELECT m.id, m.content, m.timestamp, m.session_id, m.role, m.tool_name FROM messages AS m
       WHERE m.id IN (SELECT value FROM json_each(?)) AND m.role IN (${transcriptRoleList})
         AND m.content IS NOT NULL AND NOT ${isTakenAlong}${conditions} ORDER BY m.id DESC`,
    )
    .all(JSON.stringify(ids), ...asked.map((name) => JSON.stringify(options[name])))
    .map((row) => ({
      id: Number(row['id']),
      content: text(row['content']),
      timestamp: Math.round(Number(row['timestamp']) * 1000),
      sessionId: text(row['session_id']),
      // The query lets transcript roles through only.
      role: text(row['role']) as SearchHit['role'],
      toolName: optional(row['tool_name']),
    }))
}

/** What a hit shows of its session. */
export interface HitSession {
  readonly source: string
  readonly model: string | undefined
  readonly sessionStartedAt: number
  readonly sessionTitle: string | undefined
}

/** The sessions of some hits, by id; those deleted meanwhile are missing. */
export function hitSessions(db: Database, ids: Iterable<string>): Map<string, HitSession> {
  const rows = db
    .prepare('SELECT id, source, model, started_at, title FROM sessions WHERE id IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify([...new Set(ids)]))
  return new Map(
    rows.map((row) => [
      text(row['id']),
      {
        source: text(row['source']),
        model: optional(row['model']),
        sessionStartedAt: Math.round(Number(row['started_at']) * 1000),
        sessionTitle: optional(row['title']),
      },
    ]),
  )
}

/** Ids of messages above `indexedTo` and below `below`, newest first. */
export function unindexedIds(db: Database, indexedTo: number, below: number, limit: number): number[] {
  return db
    .prepare('SELECT id FROM messages WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?')
    .all(indexedTo, below, limit)
    .map((row) => Number(row['id']))
}
