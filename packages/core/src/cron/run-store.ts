import { randomUUID } from 'node:crypto'
import type { Home } from '../config/home.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { isRunning, startTicks } from '../terminals/process-identity.ts'

/**
 * How one time of a job went. `claimed`: taken by a process. `interrupted`: its process died; what it had done by then is
 * not known, and it is not run again. `missed`: it was not run, as the job's policy says.
 */
export type RunState = 'claimed' | 'running' | 'ok' | 'error' | 'interrupted' | 'missed'

/** One time of one job. Times are ms since the epoch. */
export interface CronRun {
  readonly jobId: string
  readonly scheduledAt: number
  readonly jobName: string
  /** Zone that the time was reckoned in. */
  readonly zone: string
  readonly state: RunState
  readonly claimedAt: number
  readonly startedAt: number | undefined
  readonly finishedAt: number | undefined
  readonly sessionId: string | undefined
  readonly error: string | undefined
  readonly deliveryError: string | undefined
  readonly outputPath: string | undefined
}

export type RunKey = Pick<CronRun, 'jobId' | 'scheduledAt'>

/** Runs of one job that are kept. */
const keptRuns = 200

/** What a scheduler tells of itself. */
export interface SchedulerRecord {
  readonly pid: number
  readonly startedAt: number
}

/**
 * Which times of which job were taken by whom, in `cron/runs.db`: a row is inserted before anything runs, once, whatever
 * number of processes try. Throws `DatabaseError`.
 */
export class RunStore implements Disposable {
  readonly #db: Database
  /** Of this process. */
  readonly #ticks = startTicks(process.pid) ?? ''
  /** Of this store: a process may have several. */
  readonly #owner = randomUUID()
  /** What this store has taken and not let go. */
  readonly #held = new Set<string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Takes a time, to be let go with `release`; false when somebody has it. */
  async claim(run: Pick<CronRun, 'jobId' | 'scheduledAt' | 'jobName' | 'zone'>, now: number): Promise<boolean> {
    const isOurs = await this.#insert(run, 'claimed', now, null)
    if (isOurs) this.#held.add(keyOf(run))
    return isOurs
  }

  /** Nothing more will be done for a time; where its end could not be recorded it counts as interrupted. */
  release(run: RunKey): void {
    this.#held.delete(keyOf(run))
  }

  /** Records a time that is not run; false when it has a row already. */
  skip(
    run: Pick<CronRun, 'jobId' | 'scheduledAt' | 'jobName' | 'zone'>,
    now: number,
    reason: string,
  ): Promise<boolean> {
    return this.#insert(run, 'missed', now, reason)
  }

  #insert(
    run: Pick<CronRun, 'jobId' | 'scheduledAt' | 'jobName' | 'zone'>,
    state: RunState,
    now: number,
    error: string | null,
  ): Promise<boolean> {
    const { jobId, scheduledAt, jobName, zone } = run
    return this.#db.write(() => {
      const { changes } = this.#db
        .prepare(
          `INSERT OR IGNORE INTO cron_runs
             (job_id, scheduled_at, job_name, zone, state, claimed_at, pid, ticks, owner, error, finished_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          jobId,
          scheduledAt,
          jobName,
          zone,
          state,
          now,
          process.pid,
          this.#ticks,
          this.#owner,
          error,
          state === 'missed' ? now : null,
        )
      if (changes === 0) return false
      this.#db
        .prepare(
          `DELETE FROM cron_runs WHERE job_id = ? AND state NOT IN ('claimed', 'running') AND scheduled_at <
             (SELECT scheduled_at FROM cron_runs WHERE job_id = ? ORDER BY scheduled_at DESC LIMIT 1 OFFSET ?)`,
        )
        .run(jobId, jobId, keptRuns - 1)
      return true
    })
  }

  async start({ jobId, scheduledAt }: RunKey, sessionId: string, now: number): Promise<void> {
    await this.#db.write(() =>
      this.#db
        .prepare(
          `UPDATE cron_runs SET state = 'running', started_at = ?, session_id = ? WHERE job_id = ? AND scheduled_at = ?`,
        )
        .run(now, sessionId, jobId, scheduledAt),
    )
  }

  async finish(
    { jobId, scheduledAt }: RunKey,
    end: Pick<CronRun, 'state' | 'error' | 'deliveryError' | 'outputPath'>,
    now: number,
  ): Promise<void> {
    await this.#db.write(() =>
      this.#db
        .prepare(
          `UPDATE cron_runs SET state = ?, error = ?, delivery_error = ?, output_path = ?, finished_at = ?
           WHERE job_id = ? AND scheduled_at = ?`,
        )
        .run(end.state, end.error ?? null, end.deliveryError ?? null, end.outputPath ?? null, now, jobId, scheduledAt),
    )
  }

  /** Closes the runs whose process is gone, and resolves to them. */
  async closeInterrupted(now: number): Promise<readonly CronRun[]> {
    const dead = (await this.#open()).filter((one) => !this.#isAlive(one))
    const closed: CronRun[] = []
    for (const { run } of dead) {
      const isOurs = await this.#db.write(
        () =>
          this.#db
            .prepare(
              `UPDATE cron_runs SET state = 'interrupted', error = ?, finished_at = ?
               WHERE job_id = ? AND scheduled_at = ? AND state IN ('claimed', 'running')`,
            )
            .run(interruptedText, now, run.jobId, run.scheduledAt).changes > 0,
      )
      if (isOurs) closed.push({ ...run, state: 'interrupted', error: interruptedText, finishedAt: now })
    }
    return closed
  }

  /** Jobs of which a run is under way, in whatever process. */
  async busyJobs(): Promise<ReadonlySet<string>> {
    return new Set((await this.#open()).map(({ run }) => run.jobId))
  }

  async get({ jobId, scheduledAt }: RunKey): Promise<CronRun | undefined> {
    const row = await this.#db.read(() =>
      this.#db.prepare('SELECT * FROM cron_runs WHERE job_id = ? AND scheduled_at = ?').get(jobId, scheduledAt),
    )
    return row && toRun(row)
  }

  /** The latest times first. */
  async list({ jobId, limit = 20 }: { readonly jobId?: string; readonly limit?: number } = {}): Promise<
    readonly CronRun[]
  > {
    const rows = await this.#db.read(() =>
      jobId === undefined
        ? this.#db.prepare('SELECT * FROM cron_runs ORDER BY scheduled_at DESC LIMIT ?').all(limit)
        : this.#db
            .prepare('SELECT * FROM cron_runs WHERE job_id = ? ORDER BY scheduled_at DESC LIMIT ?')
            .all(jobId, limit),
    )
    return rows.map(toRun)
  }

  async addScheduler(now: number): Promise<void> {
    await this.#db.write(() =>
      this.#db.prepare('INSERT OR REPLACE INTO cron_schedulers VALUES (?, ?, ?)').run(process.pid, this.#ticks, now),
    )
  }

  async removeScheduler(): Promise<void> {
    await this.#db.write(() => this.#db.prepare('DELETE FROM cron_schedulers WHERE pid = ?').run(process.pid))
  }

  /** The schedulers that run now. */
  async schedulers(): Promise<readonly SchedulerRecord[]> {
    const rows = await this.#db.read(() => this.#db.prepare('SELECT * FROM cron_schedulers').all())
    return rows
      .map((row) => ({ pid: Number(row['pid']), ticks: textOf(row['ticks']), startedAt: Number(row['started_at']) }))
      .filter(({ pid, ticks }) => isRunning(pid, ticks || undefined))
      .map(({ pid, startedAt }) => ({ pid, startedAt }))
  }

  #isAlive({ run, pid, ticks, owner }: OpenRun): boolean {
    return owner === this.#owner ? this.#held.has(keyOf(run)) : isRunning(pid, ticks || undefined)
  }

  async #open(): Promise<readonly OpenRun[]> {
    const rows = await this.#db.read(() =>
      this.#db.prepare(`SELECT * FROM cron_runs WHERE state IN ('claimed', 'running')`).all(),
    )
    return rows.map((row) => ({
      run: toRun(row),
      pid: Number(row['pid']),
      ticks: textOf(row['ticks']) ?? '',
      owner: textOf(row['owner']) ?? '',
    }))
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

const interruptedText =
  'The process that ran it was killed; what it had done by then is not known. It is not run again.'

/** Makes the file where it is missing. */
export async function openRunStore(home: Home): Promise<RunStore> {
  const db = await openDatabase(home.path('cron', 'runs.db'))
  try {
    await db.write(() => db.exec(tables))
    return new RunStore(db)
  } catch (error) {
    db.close()
    throw error
  }
}

const tables = `
  CREATE TABLE IF NOT EXISTS cron_runs (
    job_id TEXT NOT NULL, scheduled_at INTEGER NOT NULL, job_name TEXT NOT NULL, zone TEXT NOT NULL,
    state TEXT NOT NULL, claimed_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
    pid INTEGER NOT NULL, ticks TEXT NOT NULL, owner TEXT NOT NULL, session_id TEXT, error TEXT, delivery_error TEXT, output_path TEXT,
    PRIMARY KEY (job_id, scheduled_at)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS cron_runs_open ON cron_runs (state) WHERE state IN ('claimed', 'running');
  CREATE TABLE IF NOT EXISTS cron_schedulers (pid INTEGER PRIMARY KEY, ticks TEXT NOT NULL, started_at INTEGER NOT NULL);
`

/** A run under way, and whose it is. */
interface OpenRun {
  readonly run: CronRun
  readonly pid: number
  readonly ticks: string
  readonly owner: string
}

function keyOf({ jobId, scheduledAt }: RunKey): string {
  return `${jobId}@${scheduledAt}`
}

type Row = Readonly<Record<string, unknown>>

function toRun(row: Row): CronRun {
  return {
    jobId: String(row['job_id']),
    scheduledAt: Number(row['scheduled_at']),
    jobName: String(row['job_name']),
    zone: String(row['zone']),
    // Nobody else writes this table.
    state: String(row['state']) as RunState,
    claimedAt: Number(row['claimed_at']),
    startedAt: numberOf(row['started_at']),
    finishedAt: numberOf(row['finished_at']),
    sessionId: textOf(row['session_id']),
    error: textOf(row['error']),
    deliveryError: textOf(row['delivery_error']),
    outputPath: textOf(row['output_path']),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
