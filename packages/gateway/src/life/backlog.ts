import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Home } from '@hermes/core/config/home.ts'

/** What waits in `gateway.db`. */
export interface Backlog {
  /** Messages of people that are not dealt with. */
  readonly inbox: { readonly waiting: number; readonly running: number }
  /** What is to go out, and what of the last week never did. */
  readonly outbox: readonly OutboxCount[]
}

export interface OutboxCount {
  readonly platform: string
  readonly waiting: number
  readonly dead: number
  /** When the oldest that waits was queued, ms since 1970. */
  readonly oldestAt?: number
  /** Why the last that waits did not go out. */
  readonly error?: string
}

/** Longest wait for whoever writes, ms. */
const busyMs = 2_000

/** Reads it beside a gateway that runs; undefined where there is no such file yet. */
export function readBacklog(home: Home): Backlog | undefined {
  const path = home.path('gateway.db')
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  try {
    const count = db.prepare('SELECT count(*) AS n FROM inbox WHERE state = ?')
    const inState = (state: string) => Number(count.get(state)?.['n'] ?? 0)
    const outbox = db
      .prepare(
        `SELECT platform, sum(state != 'dead') AS waiting, sum(state = 'dead') AS dead,
           min(CASE WHEN state != 'dead' THEN created_at END) AS oldest,
           max(CASE WHEN state != 'dead' THEN error END) AS error
         FROM outbox WHERE state IN ('waiting', 'sending', 'dead') GROUP BY platform ORDER BY platform`,
      )
      .all()
      .map((row): OutboxCount => {
        const { platform, waiting, dead, oldest, error } = row
        return {
          platform: String(platform),
          waiting: Number(waiting),
          dead: Number(dead),
          ...(oldest !== null && { oldestAt: Number(oldest) }),
          ...(typeof error === 'string' && { error }),
        }
      })
    return { inbox: { waiting: inState('waiting'), running: inState('running') }, outbox }
  } finally {
    db.close()
  }
}
