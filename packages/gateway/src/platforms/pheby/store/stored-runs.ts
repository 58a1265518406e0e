import type { Database } from '@hermes/core/storage/database.ts'

/** A run that was accepted. */
export interface StoredRun {
  readonly runId: string
  readonly eventId: string
  readonly conversationId: string
  /** What the person wrote; undefined where nobody asked. */
  readonly text: string | undefined
  /** Ms since 1970. */
  readonly startedAt: number
}

/** Ended runs are kept so long, ms. */
const keepMs = 7 * 24 * 3_600_000

/** Which runs have begun and not ended, over restarts. */
export interface StoredRuns {
  begin(run: StoredRun): Promise<void>
  end(runId: string): Promise<void>
  open(): Promise<readonly StoredRun[]>
  tidy(): Promise<void>
}

/** `now`: ms since 1970. */
export function createStoredRuns(db: Database, now: () => number): StoredRuns {
  return {
    begin: ({ runId, eventId, conversationId, text, startedAt }) =>
      db.write(() => {
        db.prepare(
          `INSERT INTO runs (run_id, event_id, conversation_id, text, started_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
        ).run(runId, eventId, conversationId, text ?? null, startedAt)
      }),
    // What was said stays in the session alone.
    end: (runId) =>
      db.write(() => void db.prepare('UPDATE runs SET ended_at = ?, text = NULL WHERE run_id = ?').run(now(), runId)),
    open: () =>
      db.read(() => db.prepare('SELECT * FROM runs WHERE ended_at IS NULL ORDER BY started_at').all().map(runOf)),
    tidy: () => db.write(() => void db.prepare('DELETE FROM runs WHERE ended_at < ?').run(now() - keepMs)),
  }
}

function runOf(row: Readonly<Record<string, unknown>>): StoredRun {
  return {
    runId: String(row['run_id']),
    eventId: String(row['event_id']),
    conversationId: String(row['conversation_id']),
    text: typeof row['text'] === 'string' ? row['text'] : undefined,
    startedAt: Number(row['started_at']),
  }
}
