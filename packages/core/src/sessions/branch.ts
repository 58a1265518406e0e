import type { Clock } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import { transcriptRoleList } from './message-row.ts'
import { columnNames } from './schema.ts'
import { newSessionId } from './session-id.ts'
import { endSession, freeTitle, nextTitle, requireSession } from './session-table.ts'
import type { Session } from './store.ts'

/**
 * Copies a session into a new child and ends the old one as `branched`. The child has the same frozen system prompt,
 * so that providers' caches hold, and the given title, else the next of the parent's lineage.
 */
export function branchSession(db: Database, clock: Clock, parentId: string, title: string | undefined): Session {
  const parent = requireSession(db, parentId)
  const id = newSessionId(clock)
  const chosen = (title === undefined ? undefined : freeTitle(db, title, id)) ?? nextTitle(db, parent.title ?? 'branch')
  db.prepare(
    `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id, started_at, title,
       tool_call_count)
     SELECT ?, source, user_id, model, model_config, system_prompt, id, ?, ?, tool_call_count FROM sessions WHERE id = ?`,
  ).run(id, clock.now() / 1000, chosen, parentId)
  const copied = copyMessages(db, parentId, id)
  db.prepare('UPDATE sessions SET message_count = ? WHERE id = ?').run(copied, id)
  endSession(db, clock, parentId, 'branched')
  return requireSession(db, id)
}

/** Copies the transcript with every column it has, also those that a newer version added. */
function copyMessages(db: Database, from: string, to: string): number {
  const columns = [...columnNames(db, 'messages')].filter((name) => name !== 'id' && name !== 'session_id')
  const list = columns.map((name) => `"${name}"`).join(', ')
  const { changes } = db
    .prepare(
      `INSERT INTO messages (session_id, ${list})
       SELECT ?, ${list} FROM messages WHERE session_id = ? AND role IN (${transcriptRoleList}) ORDER BY id`,
    )
    .run(to, from)
  return Number(changes)
}
