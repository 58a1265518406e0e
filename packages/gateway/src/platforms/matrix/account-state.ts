import { openDatabase } from '@hermes/core/storage/database.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { z } from 'zod'

/** An event that came before the key that opens it. */
export interface SealedEvent {
  readonly roomId: string
  readonly eventId: string
  /** As the server gave it, JSON. */
  readonly event: string
}

/** What one device of an account has to remember. */
export interface AccountState {
  readonly db: Database
  /** Where the next sync goes on: everything before it is stored. */
  since(): Promise<string | undefined>
  setSince(token: string): Promise<void>
  /** Events that wait for their keys, oldest first. */
  sealed(): Promise<readonly SealedEvent[]>
  seal(event: SealedEvent, now: number): Promise<void>
  unseal(eventId: string): Promise<void>
  /** Forgets events that have waited since before `at`, ms since 1970. Resolves to how many. */
  dropSealed(at: number): Promise<number>
  close(): void
}

/** Sealed events that are kept. */
const maxSealed = 300

const tables = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS sealed (
  event_id TEXT PRIMARY KEY,
  room_id TEXT NOT NULL,
  event TEXT NOT NULL,
  seen_at REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS crypto_databases (name TEXT PRIMARY KEY, version INTEGER NOT NULL, stores TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS crypto_records (
  database TEXT NOT NULL,
  store TEXT NOT NULL,
  key BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (database, store, key)
) STRICT, WITHOUT ROWID`

const sealedRow = z.object({ event_id: z.string(), room_id: z.string(), event: z.string() })

/** Opens `platforms/matrix/<user> <device>.db`. */
export async function openAccountState(
  home: Home,
  { userId, deviceId }: { readonly userId: string; readonly deviceId: string },
): Promise<AccountState> {
  const name = `${encodeURIComponent(userId)} ${encodeURIComponent(deviceId)}.db`
  const db = await openDatabase(home.path('platforms', 'matrix', name))
  await db.write(() => db.exec(tables))
  return {
    db,
    async since() {
      const row = await db.read(() => db.prepare('SELECT value FROM facts WHERE name = ?').get('since'))
      return z.object({ value: z.string() }).optional().parse(row)?.value
    },
    async setSince(token) {
      await db.write(() => db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run('since', token))
    },
    async sealed() {
      const rows = await db.read(() => db.prepare('SELECT * FROM sealed ORDER BY seen_at, rowid').all())
      return rows.map((row) => {
        const { event_id: eventId, room_id: roomId, event } = sealedRow.parse(row)
        return { eventId, roomId, event }
      })
    },
    async seal({ eventId, roomId, event }, now) {
      await db.write(() => {
        db.prepare('INSERT OR IGNORE INTO sealed (event_id, room_id, event, seen_at) VALUES (?, ?, ?, ?)').run(
          eventId,
          roomId,
          event,
          now,
        )
        db.prepare(
          'DELETE FROM sealed WHERE event_id NOT IN (SELECT event_id FROM sealed ORDER BY seen_at DESC LIMIT ?)',
        ).run(maxSealed)
      })
    },
    async unseal(eventId) {
      await db.write(() => db.prepare('DELETE FROM sealed WHERE event_id = ?').run(eventId))
    },
    async dropSealed(at) {
      const { changes } = await db.write(() => db.prepare('DELETE FROM sealed WHERE seen_at < ?').run(at))
      return Number(changes)
    },
    close: () => db.close(),
  }
}
