import type { Database } from '../../storage/database.ts'
import type { LockWait } from '../../storage/lock-retry.ts'
import type { StateFile } from '../state-file.ts'
import { foldText } from './fold.ts'
import { beginAnew, type IndexState, openIndex, readState, recreateTables } from './index-tables.ts'
import { indexTokens } from './pieces.ts'

/** One step indexes at most this many messages and about this many characters, and so holds the database briefly. */
const stepRows = 100
const stepCharacters = 200_000

/** How many pages one step of joining the index's parts writes. */
const mergePages = 32

/** Nobody waits long for the index: without it all is found too. */
const quickly: LockWait = { timeoutMs: 1000 }

/** Rows of deleted messages that may stay in the index before it is made anew. */
const maxStaleRows = 1000

export interface IndexPosition extends IndexState {
  /** The highest row id that `messages` has ever had. */
  readonly lastId: number
}

/**
 * Which tokens occur in which message of `state.db`, by row id, in `hermes.db`. It holds no text and no positions: it
 * proposes candidates, and the messages themselves decide. Everything in it can be made again from `state.db`, and a
 * message that is not in it yet is simply beyond `indexedTo`. Throws `DatabaseError` where `hermes.db` cannot be used.
 */
export class MessageIndex {
  readonly #path: string
  readonly #state: StateFile
  #db: Promise<Database> | undefined

  constructor(path: string, state: StateFile) {
    this.#path = path
    this.#state = state
  }

  /** How far the index goes, after it was checked to be one of this `state.db`, and begun anew where it is not. */
  async position(): Promise<IndexPosition> {
    const db = await this.#open()
    const indexed = await db.read(() => readState(db))
    const { lastId, fingerprint } = await this.#state.read((state) => look(state, indexed.indexedTo))
    const isSame = indexed.indexedTo <= lastId && (fingerprint ?? indexed.fingerprint) === indexed.fingerprint
    return { ...(isSame ? indexed : await db.write(() => beginAnew(db), quickly)), lastId }
  }

  /** Whether the index is still the one that a position was read from. */
  async isStill({ generation }: IndexPosition): Promise<boolean> {
    const db = await this.#open()
    return (await db.read(() => readState(db))).generation === generation
  }

  /** Row ids below `below` of messages that may match an FTS5 expression, newest first. */
  async candidates(expression: string, below: number, limit: number): Promise<number[]> {
    const db = await this.#open()
    return db.read(() =>
      db
        .prepare(
          `SELECT rowid FROM message_search WHERE message_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`,
        )
        .all(expression, below, limit)
        .map((row) => Number(row['rowid'])),
    )
  }

  /** Indexes some of the messages that are not in yet. Resolves to whether there may be more. */
  async step(signal: AbortSignal): Promise<boolean> {
    const db = await this.#open()
    const from = await this.position()
    const rows = await this.#state.read((state) => unindexedRows(state, from.indexedTo))
    const last = rows.at(-1)
    if (!last) return false
    const entries = rows.map(({ id, content }) => ({ id, tokens: indexTokens(foldText(content)) }))
    await db.write(
      () => {
        const now = readState(db)
        // Another process was quicker; its rows are not added again.
        if (now.generation !== from.generation || now.indexedTo !== from.indexedTo) return
        const insert = db.prepare('INSERT INTO message_search (rowid, tokens) VALUES (?, ?)')
        for (const { id, tokens } of entries) if (tokens !== '') insert.run(id, tokens)
        db.prepare('UPDATE message_search_state SET indexed_to = ?, fingerprint = ?').run(last.id, last.fingerprint)
      },
      { signal },
    )
    return true
  }

  /** Joins some of the index's parts, of which fewer are searched faster. Resolves to whether there may be more. */
  async tidy(effort: 'begin' | 'go-on', signal: AbortSignal): Promise<boolean> {
    const db = await this.#open()
    return db.write(
      () => {
        // https://www.sqlite.org/fts5.html#the_merge_command: a negative number begins a merge of everything.
        const pages = effort === 'begin' ? -mergePages : mergePages
        const before = totalChanges(db)
        db.prepare(`INSERT INTO message_search(message_search, rank) VALUES ('merge', ?)`).run(pages)
        return totalChanges(db) - before >= 2
      },
      { signal },
    )
  }

  /** Begins the index anew when most of it is about messages that are gone. */
  async dropStale(): Promise<void> {
    const db = await this.#open()
    const indexed = await db.read(() => count(db, 'message_search_docsize'))
    const messages = await this.#state.read((state) => count(state, 'messages'))
    if (indexed > 2 * messages + maxStaleRows) await db.write(() => beginAnew(db), quickly)
  }

  /** Takes messages that were deleted out of the index. */
  async forget(ids: readonly number[]): Promise<void> {
    const db = await this.#open()
    await db.write(() => {
      const remove = db.prepare('DELETE FROM message_search WHERE rowid = ?')
      for (const id of ids) remove.run(id)
    }, quickly)
  }

  /** Makes the index's tables anew, also damaged ones. */
  async reset(): Promise<void> {
    const db = await this.#open()
    await db.write(() => recreateTables(db), quickly)
  }

  async close(): Promise<void> {
    const db = await this.#db
    this.#db = undefined
    db?.close()
  }

  async #open(): Promise<Database> {
    this.#db ??= openIndex(this.#path)
    try {
      return await this.#db
    } catch (error) {
      this.#db = undefined
      throw error
    }
  }
}

interface UnindexedRow {
  readonly id: number
  readonly content: string
  readonly fingerprint: string
}

const fingerprintOf = `session_id || '|' || timestamp || '|' || role || '|' || COALESCE(length(content), 0)`

function unindexedRows(state: Database, from: number): UnindexedRow[] {
  const rows: UnindexedRow[] = []
  let characters = 0
  const query = state.prepare(
    `SELECT id, content, ${fingerprintOf} AS fingerprint FROM messages WHERE id > ? ORDER BY id LIMIT ?`,
  )
  for (const row of query.iterate(from, stepRows)) {
    const content = typeof row['content'] === 'string' ? row['content'] : ''
    rows.push({ id: Number(row['id']), content, fingerprint: String(row['fingerprint']) })
    characters += content.length
    if (characters >= stepCharacters) break
  }
  return rows
}

/** What `state.db` has now: its highest row id ever, and the fingerprint of one message where it is there. */
function look(state: Database, id: number): { lastId: number; fingerprint: string | undefined } {
  const row = state
    .prepare(
      `SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'messages') AS last_id,
         (SELECT ${fingerprintOf} FROM messages WHERE id = ?) AS fingerprint`,
    )
    .get(id)
  const found = row?.['fingerprint']
  return { lastId: Number(row?.['last_id'] ?? 0), fingerprint: typeof found === 'string' ? found : undefined }
}

function totalChanges(db: Database): number {
  return Number(db.prepare('SELECT total_changes() AS n').get()?.['n'])
}

function count(db: Database, table: 'messages' | 'message_search_docsize'): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
}
