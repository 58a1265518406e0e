import type { Clock } from '../agent/clock.ts'
import { noUsage } from '../models/model.ts'
import type { Database } from '../storage/database.ts'
import { insertMessage, insertNotedMessage } from './message-table.ts'
import { insertSession } from './session-table.ts'

/**
 * Writes what a session's first turn does, and takes it back, within a transaction. What that commits is pages as they were:
 * with the first ones SQLite begins its log, and waits for the disk to have it.
 */
export function rehearseWrites(db: Database, clock: Clock): void {
  db.exec('SAVEPOINT rehearsal')
  const { id } = insertSession(db, clock, { source: 'rehearsal' })
  insertMessage(db, clock, id, { role: 'user', content: 'Hello.' })
  const message = { role: 'assistant', content: 'Hello.', toolCalls: [], finishReason: 'stop' } as const
  const notes = { usage: { usage: noUsage, model: 'none' }, systemPrompt: 'This is a rehearsal.' }
  insertNotedMessage(db, clock, { sessionId: id, message, notes })
  db.exec('ROLLBACK TO rehearsal; RELEASE rehearsal')
}
