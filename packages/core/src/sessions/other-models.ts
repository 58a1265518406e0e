import type { Logger } from '../log/logger.ts'
import type { Usage } from '../models/model.ts'
import { DatabaseError } from '../storage/database-error.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import type { LockWait } from '../storage/lock-retry.ts'
import type { UsageDelta } from './store.ts'

/** What the calls of one model took in a session that is another model's. */
export interface OtherModelSum {
  readonly sessionId: string
  readonly model: string
  readonly usage: Usage
  /** USD, as far as it is known, and the part of it that the provider told. */
  readonly usd: number
  readonly reportedUsd: number
  readonly calls: number
  readonly includedCalls: number
  readonly unknownCalls: number
}

/** No turn waits long for it: without it a call counts for its session's own model. */
const quickly: LockWait = { timeoutMs: 500 }

/**
 * `state.db` has one model for each session. What other models took in it (a fallback, a side task, another choice) is
 * counted there as well; here, in `hermes.db`, stands how much of it was theirs. Failures are logged and never thrown.
 */
export class OtherModels {
  readonly #path: string
  readonly #log: Logger
  #db: Promise<Database> | undefined

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
  }

  /** Counts a call. */
  async add(sessionId: string, delta: UsageDelta): Promise<void> {
    const { usage, model, costStatus: status } = delta
    await this.#guard(undefined, async (db) =>
      db.write(() => {
        db.prepare(
          `INSERT INTO other_models VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
           ON CONFLICT DO UPDATE SET
             input = input + excluded.input, output = output + excluded.output,
             cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
             reasoning = reasoning + excluded.reasoning, usd = usd + excluded.usd,
             reported_usd = reported_usd + excluded.reported_usd, calls = calls + 1,
             included_calls = included_calls + excluded.included_calls,
             unknown_calls = unknown_calls + excluded.unknown_calls`,
        ).run(
          sessionId,
          model,
          usage.inputTokens,
          usage.outputTokens,
          usage.cacheReadTokens,
          usage.cacheWriteTokens,
          usage.reasoningTokens,
          delta.estimatedCostUsd ?? delta.actualCostUsd ?? 0,
          delta.actualCostUsd ?? 0,
          status === 'included' ? 1 : 0,
          status === 'unknown' ? 1 : 0,
        )
      }, quickly),
    )
  }

  async all(): Promise<readonly OtherModelSum[]> {
    return this.#guard([], async (db) => db.read(() => db.prepare('SELECT * FROM other_models').all().map(toSum)))
  }

  /** Leaves a session out that is gone. */
  async forget(sessionId: string): Promise<void> {
    await this.#guard(undefined, async (db) =>
      db.write(() => void db.prepare('DELETE FROM other_models WHERE session_id = ?').run(sessionId), quickly),
    )
  }

  async close(): Promise<void> {
    if (this.#db) await this.#guard(undefined, async (db) => db.close())
  }

  async #guard<T>(otherwise: T, work: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await work(await (this.#db ??= this.#open()))
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      this.#log.warn({ error: error.message }, 'what other models took in a session is not counted')
      return otherwise
    }
  }

  /** Tried again by the next call where it fails. */
  async #open(): Promise<Database> {
    try {
      return await openTable(this.#path)
    } catch (error) {
      this.#db = undefined
      throw error
    }
  }
}

async function openTable(path: string): Promise<Database> {
  const db = await openDatabase(path, quickly)
  try {
    await db.write(() => db.exec(tableSql), quickly)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const tableSql = `CREATE TABLE IF NOT EXISTS other_models (
  session_id TEXT NOT NULL, model TEXT NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
  reasoning INTEGER NOT NULL, usd REAL NOT NULL, reported_usd REAL NOT NULL, calls INTEGER NOT NULL,
  included_calls INTEGER NOT NULL, unknown_calls INTEGER NOT NULL, PRIMARY KEY (session_id, model)) WITHOUT ROWID`

function toSum(row: Readonly<Record<string, unknown>>): OtherModelSum {
  const number = (name: string) => Number(row[name])
  return {
    sessionId: String(row['session_id']),
    model: String(row['model']),
    usage: {
      inputTokens: number('input'),
      outputTokens: number('output'),
      cacheReadTokens: number('cache_read'),
      cacheWriteTokens: number('cache_write'),
      reasoningTokens: number('reasoning'),
    },
    usd: number('usd'),
    reportedUsd: number('reported_usd'),
    calls: number('calls'),
    includedCalls: number('included_calls'),
    unknownCalls: number('unknown_calls'),
  }
}
