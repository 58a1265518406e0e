import type { Home } from '@hermes/core/config/home.ts'
import { openDatabase } from '@hermes/core/storage/database.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { wireHistory } from './wire-history.ts'

const storedSchema = lazily(() =>
  z.looseObject({
    response: z.looseObject({ id: z.string() }),
    conversation_history: wireHistory()
      .nullish()
      .transform((value) => value ?? []),
    instructions: z.string().nullish(),
    /** Ours alone: the session, and how long it was after this response. */
    session_id: z.string().optional(),
    message_count: z.number().optional(),
  }),
)

/** A response with what the next one of its chain needs. */
export type StoredResponse = z.infer<ReturnType<typeof storedSchema>>

/** Upstream's `response_store.db`: the hundred responses used last, and which one each named conversation ends in. */
export interface ResponseStore extends AsyncDisposable {
  get(id: string): Promise<StoredResponse | undefined>
  /** Keeps a response; where it belongs to a conversation, as its last one. */
  put(stored: StoredResponse, conversation?: string): Promise<void>
  remove(id: string): Promise<boolean>
  /** The id of a conversation's last response. */
  latest(conversation: string): Promise<string | undefined>
}

const maxResponses = 100

/** Opened when it is first used. All methods throw `DatabaseError`. `now` in ms. */
export function createResponseStore(home: Home, now: () => number): ResponseStore {
  let opening: Promise<Database> | undefined
  const open = () => {
    opening ??= openStore(home).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const seconds = () => now() / 1000

  return {
    async get(id) {
      const db = await open()
      const row = await db.write(() => {
        db.prepare('UPDATE responses SET accessed_at = ? WHERE response_id = ?').run(seconds(), id)
        return db.prepare('SELECT data FROM responses WHERE response_id = ?').get(id)
      })
      return row === undefined ? undefined : parsed(row['data'])
    },
    async put(stored, conversation) {
      const db = await open()
      await db.write(() => {
        const { id } = stored.response
        const add = 'INSERT OR REPLACE INTO responses (response_id, data, accessed_at) VALUES (?, ?, ?)'
        db.prepare(add).run(id, JSON.stringify(stored), seconds())
        if (conversation !== undefined) {
          db.prepare('INSERT OR REPLACE INTO conversations (name, response_id) VALUES (?, ?)').run(conversation, id)
        }
        db.prepare(
          'DELETE FROM responses WHERE response_id IN (SELECT response_id FROM responses ORDER BY accessed_at DESC, rowid DESC LIMIT -1 OFFSET ?)',
        ).run(maxResponses)
        forgetEnded(db)
      })
    },
    async remove(id) {
      const db = await open()
      return db.write(() => {
        const { changes } = db.prepare('DELETE FROM responses WHERE response_id = ?').run(id)
        forgetEnded(db)
        return changes > 0
      })
    },
    async latest(conversation) {
      const db = await open()
      const row = await db.read(() =>
        db.prepare('SELECT response_id FROM conversations WHERE name = ?').get(conversation),
      )
      return typeof row?.['response_id'] === 'string' ? row['response_id'] : undefined
    },
    async [Symbol.asyncDispose]() {
      const db = await opening?.catch(() => undefined)
      db?.close()
    },
  }
}

/** Conversations whose last response is no longer there begin anew. */
function forgetEnded(db: Database): void {
  db.prepare('DELETE FROM conversations WHERE response_id NOT IN (SELECT response_id FROM responses)').run()
}

function parsed(data: unknown): StoredResponse | undefined {
  try {
    return storedSchema().safeParse(JSON.parse(String(data))).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function openStore(home: Home): Promise<Database> {
  const db = await openDatabase(home.path('response_store.db'))
  try {
    await db.write(() => db.exec(tables))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const tables = `
CREATE TABLE IF NOT EXISTS responses (
  response_id TEXT PRIMARY KEY,
  data TEXT NOT NULL,
  accessed_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS conversations (
  name TEXT PRIMARY KEY,
  response_id TEXT NOT NULL
)`
