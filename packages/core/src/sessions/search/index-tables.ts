import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '../../storage/database.ts'

/** Changes when what the index stores does; an index of another format is made anew. */
const format = 1

/** What the index says of itself. */
export interface IndexState {
  /** All messages up to this row id are in the index. */
  readonly indexedTo: number
  /** Tells the message with that id from others that may come to have it. */
  readonly fingerprint: string
  /** Changes when the index is begun anew. */
  readonly generation: string
}

/** Opens the database that holds the index, and makes its tables where they are missing or of another format. */
export async function openIndex(path: string): Promise<Database> {
  const db = await openDatabase(path)
  try {
    if (!(await db.read(() => isCurrent(db)))) await db.write(() => isCurrent(db) || recreateTables(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Makes the index's tables anew, empty. */
export function recreateTables(db: Database): void {
  // Tokens come ready, parted by spaces, so the simplest tokenizer does. The prefix indexes serve `word*` and single
  // characters of Chinese, Japanese and Korean.
  db.exec(`
    DROP TABLE IF EXISTS message_search_state;
    DROP TABLE IF EXISTS message_search;
    CREATE TABLE message_search_state (
      format INTEGER NOT NULL, generation TEXT NOT NULL, indexed_to INTEGER NOT NULL, fingerprint TEXT NOT NULL);
    CREATE VIRTUAL TABLE message_search USING fts5(
      tokens, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
  `)
  db.prepare(`INSERT INTO message_search_state VALUES (?, ?, 0, '')`).run(format, newGeneration())
}

/** Empties the index, so that it is filled from the first message on. */
export function beginAnew(db: Database): IndexState {
  db.exec(`INSERT INTO message_search(message_search) VALUES ('delete-all')`)
  db.prepare(`UPDATE message_search_state SET generation = ?, indexed_to = 0, fingerprint = ''`).run(newGeneration())
  return readState(db)
}

export function readState(db: Database): IndexState {
  const row = db.prepare('SELECT generation, indexed_to, fingerprint FROM message_search_state').get()
  return {
    indexedTo: Number(row?.['indexed_to'] ?? 0),
    fingerprint: String(row?.['fingerprint']),
    generation: String(row?.['generation']),
  }
}

function isCurrent(db: Database): boolean {
  const table = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'message_search_state'`).get()
  return table !== undefined && db.prepare('SELECT format FROM message_search_state').get()?.['format'] === format
}

function newGeneration(): string {
  return randomBytes(8).toString('hex')
}
