import type { Clock } from '../agent/clock.ts'
import { noUsage } from '../models/model.ts'
import type { Database } from '../storage/database.ts'
import { insertMessage } from './message-table.ts'
import { addSessionUsage, insertSession, setSystemPrompt } from './session-table.ts'

/**
 * Writes what a session's first turn does, and takes it back, within a transaction. What that commits is pages as they were:
 * with the first ones SQLite begins its log, and waits for the disk to have it.
 */
export function rehearseWrites(db: Database, clock: Clock): void {
  db.exec('SAVEPOINT rehearsal')
  const { id } = insertSession(db, clock, { source: 'rehearsal' })
  insertMessage(db, clock, id, { role: 'user', content: 'Hello.' })
  setSystemPrompt(db, id, 'This is a rehearsal.')
  insertMessage(db, clock, id, { role: 'assistant', content: 'Hello.', toolCalls: [], finishReason: 'stop' })
  addSessionUsage(db, id, { usage: noUsage, model: 'none' })
  db.exec('ROLLBACK TO rehearsal; RELEASE rehearsal')
}
