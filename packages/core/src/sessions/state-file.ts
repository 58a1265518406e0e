import { statSync } from 'node:fs'
import type { Logger } from '../log/logger.ts'
import { DatabaseError } from '../storage/database-error.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { prepareSchema } from './schema.ts'
import { SessionError, type SessionErrorCode } from './store.ts'

const sessionCodes: Readonly<Record<DatabaseError['code'], SessionErrorCode>> = {
  locked: 'locked',
  corrupt: 'corrupt',
  'disk-full': 'disk-full',
  io: 'unavailable',
  'read-only': 'unavailable',
  'cannot-open': 'unavailable',
}

/** How long a look at which file the path names holds good; looking takes a twentieth of a write. */
const checkMs = 20

/**
 * `state.db` over the life of a store. A file that was replaced (a backup was restored) is opened anew, so that nothing
 * is written to the old one. Damaged indexes are made anew once; when the data itself is damaged, writing ends and what
 * can be read still is. Throws `SessionError`.
 */
export class StateFile {
  readonly path: string
  readonly #log: Logger
  #open: OpenFile | undefined
  #opening: Promise<OpenFile> | undefined
  #repairing: Promise<boolean> | undefined
  /** Set once the data itself was found to be damaged. */
  #damage: SessionError | undefined
  #checkedAt = 0
  #isClosed = false

  constructor(path: string, log: Logger) {
    this.path = path
    this.#log = log
  }

  /** Runs `fn`, which only reads. */
  read<T>(fn: (db: Database) => T): Promise<T> {
    return this.#run((db) => db.read(() => fn(db)))
  }

  /**
   * Runs `fn` in one transaction, which it may share with other writes; it may be run again, so it changes nothing but the
   * database.
   */
  write<T>(fn: (db: Database) => T): Promise<T> {
    if (this.#damage) return Promise.reject(this.#damage)
    return this.#run((db) => db.writeTogether(() => fn(db)))
  }

  /** Resolves when what was asked for is written and the file is closed. */
  async close(): Promise<void> {
    await this.#open?.db.settled()
    this.#isClosed = true
    this.#open?.db.close()
    this.#open = undefined
  }

  #run<T>(operation: (db: Database) => Promise<T>): Promise<T> {
    return this.#attempt(operation).catch((error: unknown) => this.#runAgain(error, operation))
  }

  /** After a repair, where damage was in the way. */
  async #runAgain<T>(error: unknown, operation: (db: Database) => Promise<T>): Promise<T> {
    if (!isDamage(error) || this.#damage) throw toSessionError(error)
    // Whoever meets the damage waits for the same repair.
    this.#repairing ??= this.#repair()
    const isRepaired = await this.#repairing
    this.#damage = isRepaired ? undefined : toSessionError(error)
    if (this.#damage) throw this.#damage
    try {
      return await this.#attempt(operation)
    } catch (failure) {
      if (isDamage(failure)) this.#damage = toSessionError(failure)
      throw toSessionError(failure)
    }
  }

  #attempt<T>(operation: (db: Database) => Promise<T>): Promise<T> {
    if (this.#isClosed) {
      return Promise.reject(new SessionError('unavailable', `The store of ${this.path} is closed`))
    }
    const open = this.#current()
    return open ? operation(open.db) : this.#reopen().then(({ db }) => operation(db))
  }

  #current(): OpenFile | undefined {
    if (!this.#open || performance.now() < this.#checkedAt + checkMs) return this.#open
    this.#checkedAt = performance.now()
    return this.#open.inode === inodeOf(this.path) ? this.#open : undefined
  }

  async #reopen(): Promise<OpenFile> {
    this.#opening ??= this.#openFile().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #openFile(): Promise<OpenFile> {
    // What was asked for before goes to the file that it was asked of.
    await this.#open?.db.settled()
    this.#open?.db.close()
    this.#open = undefined
    const db = await openDatabase(this.path)
    try {
      await prepareSchema(db)
    } catch (error) {
      db.close()
      throw error
    }
    if (this.#isClosed) db.close()
    this.#damage = undefined
    this.#repairing = undefined
    this.#open = { db, inode: inodeOf(this.path) }
    return this.#open
  }

  /** Makes damaged indexes anew. Resolves to whether the operation that failed may be tried again. */
  async #repair(): Promise<boolean> {
    const db = this.#open?.db
    if (!db) return false
    this.#log.warn({ path: this.path }, 'the session database is damaged; looking for what can be made anew')
    const { repairIndexes } = await import('./repair.ts')
    try {
      if (await repairIndexes(db)) {
        this.#log.warn({ path: this.path }, 'the indexes of the session database were made anew; no message is lost')
        return true
      }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      this.#log.warn({ path: this.path, error: error.message }, 'the repair failed')
    }
    this.#log.error({ path: this.path }, 'messages in the session database are damaged: it is only read from now on')
    return false
  }
}

interface OpenFile {
  readonly db: Database
  readonly inode: number | undefined
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

function isDamage(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === 'corrupt'
}

function toSessionError(error: unknown): SessionError {
  if (error instanceof SessionError) return error
  if (error instanceof DatabaseError)
    return new SessionError(sessionCodes[error.code], error.message, { cause: error.cause })
  throw error
}
