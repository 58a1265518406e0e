import type { Database } from '../storage/database.ts'
import { parseJson, text } from './message-row.ts'
import type { ExportedSession } from './store.ts'

/** A session and its messages with every column; `tool_calls` decoded, the other JSON columns as they are stored. */
export function exportSession(db: Database, id: string): ExportedSession | undefined {
  const session = db.prepare('SELECT * FROM sessions WHERE id = ?').get(id)
  if (!session) return undefined
  const messages = db.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id').all(id)
  return {
    ...session,
    id: text(session['id']),
    messages: messages.map((row) => ({
      ...row,
      // What does not parse is handed on as it is, so that an export loses nothing.
      tool_calls: parseJson(row['tool_calls']) ?? row['tool_calls'],
    })),
  }
}
