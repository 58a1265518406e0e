import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { createLogCheckpoints } from './log-checkpoints.ts'
import { toDatabaseError } from './database-error.ts'
import { type LockWait, retryWhileLocked } from './lock-retry.ts'
import { WriteGroup } from './write-group.ts'

/** How long SQLite itself may wait for a lock, which blocks the process; longer waits are made between tries. */
const busyTimeoutMs = 10

/** Statements kept ready; programs use a fixed few, so the bound is only reached by a mistake. */
const maxStatements = 200

/** One connection to one SQLite file. Throws `DatabaseError` where SQLite fails for a reason that people can act on. */
export class Database {
  readonly path: string
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #group = new WriteGroup((work) => this.write(work))
  readonly #committed: () => void

  constructor(path: string, connection: DatabaseSync) {
    this.path = path
    this.#connection = connection
    this.#committed = createLogCheckpoints(path, () => {
      if (connection.isOpen && !connection.isTransaction) connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    })
  }

  /** The statement, compiled when it is first asked for. `sql` must come from a bounded set of texts. */
  prepare(sql: string): StatementSync {
    const ready = this.#statements.get(sql)
    if (ready) return ready
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** Runs statements that need no values and give none. */
  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  /** Runs `fn`, which reads, once nothing is in its way; it may be run again, so it only reads. */
  read<T>(fn: () => T, wait: LockWait = {}): Promise<T> {
    return this.#retry(fn, wait)
  }

  /**
   * Runs `fn` in a write transaction of its own. All of it is stored when the promise resolves, and none of it when
   * `fn` throws. `fn` runs to its end without a pause; it may be run again after a lock, so it changes nothing else.
   */
  write<T>(fn: () => T, wait: LockWait = {}): Promise<T> {
    return this.#retry(() => this.#transaction(fn), wait)
  }

  /**
   * The same in one transaction with whatever else is asked for before the process next looks for events, in the order
   * in which it was asked for: a commit costs more than most of what is written by it. One that throws takes nothing of
   * the others with it.
   */
  writeTogether<T>(fn: () => T): Promise<T> {
    return this.#group.add(fn)
  }

  /** Resolves when all that was asked of `writeTogether` is done. */
  settled(): Promise<void> {
    return this.#group.settled()
  }

  /** Whether statements that could break the file are refused; they are, except while a repair says otherwise. */
  setDefensive(isDefensive: boolean): void {
    // Node before 24.12 lacks the switch, and is never defensive.
    if ('enableDefensive' in this.#connection) this.#connection.enableDefensive(isDefensive)
  }

  /** Safe to call twice. */
  close(): void {
    this.#statements.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  #retry<T>(attempt: () => T, wait: LockWait): Promise<T> {
    return retryWhileLocked(attempt, wait).catch((error: unknown) => {
      throw toDatabaseError(error, this.path)
    })
  }

  #transaction<T>(fn: () => T): T {
    this.prepare('BEGIN IMMEDIATE').run()
    try {
      const result = fn()
      this.prepare('COMMIT').run()
      this.#committed()
      return result
    } catch (error) {
      // SQLite has already rolled back by itself after some failures, such as a full disk.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
      throw error
    }
  }
}

/**
 * Opens a database for many processes at once: write-ahead log, foreign keys checked. What is committed survives the
 * death of the process; after a power cut the newest commits may be missing, but the file is sound. A file that is new
 * is private (0600), and so is a folder made for it (0700).
 */
export async function openDatabase(path: string, wait: LockWait = {}): Promise<Database> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isNew = !existsSync(path)
  let connection: DatabaseSync | undefined
  try {
    if (!isNew) matchSideFiles(path)
    const opened = new DatabaseSync(path, { timeout: busyTimeoutMs })
    connection = opened
    // Before the log exists: SQLite gives it the mode of the database.
    if (isNew) chmodSync(path, 0o600)
    await retryWhileLocked(() => configure(opened), wait)
    return new Database(path, opened)
  } catch (error) {
    connection?.close()
    throw toDatabaseError(error, path)
  }
}

/**
 * SQLite gives the log and its index the mode that the database has when it makes them. Ones that were made while it could
 * only be read outlive that, and would keep it from being written for ever.
 */
function matchSideFiles(path: string): void {
  const { mode, uid } = statSync(path)
  if ((mode & 0o200) === 0 || uid !== process.getuid?.()) return
  for (const side of [`${path}-wal`, `${path}-shm`]) {
    const found = statSync(side, { throwIfNoEntry: false })
    if (found && (found.mode & 0o200) === 0 && found.uid === uid) chmodSync(side, mode & 0o777)
  }
}

/**
 * Pages of the log after which SQLite carries it over into the file by itself (32 MB), which waits for the disk: more than
 * there are between two of `createLogCheckpoints`.
 */
const pagesOfLog = 8_000

function configure(connection: DatabaseSync): void {
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA wal_autocheckpoint = ${pagesOfLog};
    PRAGMA journal_size_limit = 67108864;
  `)
}
