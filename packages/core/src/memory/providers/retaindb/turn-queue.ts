import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../../agent/clock.ts'
import type { Home } from '../../../config/home.ts'
import type { Logger } from '../../../log/logger.ts'
import { DatabaseError } from '../../../storage/database-error.ts'
import { type Database, openDatabase } from '../../../storage/database.ts'
import { withFileLock } from '../../../storage/file-lock.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import type { RetainDb, SaidMessage } from './service.ts'

/** Turns on their way to RetainDB, in a file: what was not delivered is sent later, by whichever process comes next. */
export interface TurnQueue {
  add(sessionId: string, messages: readonly SaidMessage[]): Promise<void>
  /** Sends what waits, the oldest first. Throws what sending throws; what was not taken stays. */
  flush(signal: AbortSignal): Promise<void>
  close(): void
}

export interface TurnQueueOptions {
  readonly home: Home
  readonly clock: Clock
  readonly log: Logger
  readonly userId: string
  readonly service: Pick<RetainDb, 'ingest'>
}

/** Turns kept at most; the oldest are dropped. */
const maxWaiting = 1_000

/** Upstream's table, so that what one left the other sends. */
const table = `CREATE TABLE IF NOT EXISTS pending (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT, session_id TEXT,
  messages_json TEXT, created_at TEXT, last_error TEXT)`

const row = z.object({
  id: z.number(),
  user_id: z.string(),
  session_id: z.string(),
  messages_json: z.string(),
  created_at: z.string().nullable(),
})

type Waiting = z.infer<typeof row>

const messages = z.array(
  z.object({ role: z.enum(['user', 'assistant']), content: z.string(), timestamp: z.string().default('') }),
)

/** Opens `retaindb_queue.db` when something is first added or sent. */
export function createTurnQueue({ home, clock, log, userId, service }: TurnQueueOptions): TurnQueue {
  const path = home.path('retaindb_queue.db')
  let opened: Promise<Database> | undefined
  const open = () => (opened ??= openWithTable(path))

  const oldest = (db: Database) =>
    db.read(() => {
      const first = db.prepare('SELECT * FROM pending ORDER BY id LIMIT 1').get()
      return first && row.parse(first)
    })

  const drop = (db: Database, id: number) => db.write(() => void db.prepare('DELETE FROM pending WHERE id = ?').run(id))

  async function sendAll(signal: AbortSignal): Promise<void> {
    const db = await open()
    for (let next = await oldest(db); next; next = await oldest(db)) {
      signal.throwIfAborted()
      const said = saidIn(next.messages_json)
      const turn = { userId: next.user_id, sessionId: next.session_id, key: keyOf(next) }
      try {
        if (said) await service.ingest({ ...turn, messages: said }, signal)
      } catch (error) {
        if (!isFinal(error)) {
          await db.write(() => noteError(db, next.id, error))
          throw error
        }
        log.warn({ error: String(error) }, 'RetainDB refused a turn; it is dropped')
      }
      await drop(db, next.id)
    }
  }

  return {
    async add(sessionId, said) {
      const db = await open()
      await db.write(() => {
        db.prepare('INSERT INTO pending (user_id, session_id, messages_json, created_at) VALUES (?, ?, ?, ?)').run(
          userId,
          sessionId,
          JSON.stringify(said),
          new Date(clock.now()).toISOString(),
        )
        db.prepare('DELETE FROM pending WHERE id <= (SELECT MAX(id) FROM pending) - ?').run(maxWaiting)
      })
    },
    async flush(signal) {
      try {
        // One at a time over all processes; whoever holds the lock sends what others have added, too.
        await withFileLock(path, () => sendAll(signal), { timeoutMs: 0, signal })
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.code !== 'locked') throw error
      }
    },
    close() {
      opened?.then(
        (db) => db.close(),
        (error: unknown) => log.debug({ error: String(error) }, 'the queue of RetainDB could not be opened'),
      )
      opened = undefined
    },
  }
}

async function openWithTable(path: string): Promise<Database> {
  const db = await openDatabase(path)
  await db.write(() => db.exec(table))
  return db
}

function noteError(db: Database, id: number, error: unknown): void {
  db.prepare('UPDATE pending SET last_error = ? WHERE id = ?').run(String(error).slice(0, 500), id)
}

/** The same for every try of one turn. */
function keyOf({ id, user_id: userId, session_id: sessionId, messages_json: said, created_at: at }: Waiting): string {
  return createHash('sha256')
    .update(JSON.stringify([id, userId, sessionId, said, at]))
    .digest('hex')
    .slice(0, 32)
}

function saidIn(text: string): readonly SaidMessage[] | undefined {
  try {
    return messages.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Whether the same turn would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof MemoryProviderError && [400, 409, 413, 422].includes(error.status ?? 0)
}
