import { type Clock, wallTimes } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import { byModelOfCalls, type OtherModelUse, plus } from './by-model.ts'
import type { Row } from './message-row.ts'
import type { OtherModelSum } from './other-models.ts'
import type { SessionAnalytics, SessionSums } from './store.ts'

/** Every time zone's hours begin at a quarter of an hour of UTC. */
const bucketSeconds = 900

/** Which sessions and messages are summed. */
interface Filter {
  /** Seconds since the epoch. */
  readonly from: number
  readonly source: string | null
}

/** What is summed, and what is known besides. */
export interface AnalysisOptions {
  readonly since?: number
  readonly source?: string
  /** What calls of other models than their session's own took. */
  readonly otherModels?: readonly OtherModelSum[]
}

/** Sums over the sessions that started, and the messages written, since a time (ms), of one source or of all. */
export function analyseSessions(
  db: Database,
  clock: Clock,
  { since = 0, source, otherModels = [] }: AnalysisOptions,
): SessionAnalytics {
  const filter: Filter = { from: since / 1000, source: source ?? null }
  return {
    ...totals(db, filter),
    databaseBytes: pragma(db, 'page_count') * pragma(db, 'page_size'),
    bySource: grouped(db, filter, 'source').map(([name, sums]) => ({ source: name, ...sums })),
    byModel: byModelOfCalls(
      grouped(db, filter, 'model').map(([name, sums]) => ({ model: name, ...sums })),
      usesIn(db, filter, otherModels),
    ),
    byTool: byTool(db, filter),
    ...byTime(db, filter, clock),
  }
}

/**
 * The columns of `SessionSums`, apart from messages. Either column of cost may hold the better figure: other programs
 * keep only one of them. Sessions from before costs were kept have tokens and no status.
 */
const sums = `count(*) AS sessions,
  total(input_tokens) AS input, total(output_tokens) AS output, total(cache_read_tokens) AS cache_read,
  total(cache_write_tokens) AS cache_write, total(reasoning_tokens) AS reasoning,
  total(max(COALESCE(estimated_cost_usd, 0), COALESCE(actual_cost_usd, 0))) AS usd,
  total(actual_cost_usd) AS reported,
  total(cost_status = 'included' AND COALESCE(estimated_cost_usd, 0) = 0) AS included,
  total(cost_status = 'unknown' OR
    (cost_status IS NULL AND estimated_cost_usd IS NULL AND input_tokens + output_tokens > 0)) AS unknown`

const sessionFilter = '(started_at >= ?1 AND (?2 IS NULL OR source = ?2))'

const messageFilter = `(timestamp >= ?1 AND role <> 'session_meta'
  AND (?2 IS NULL OR session_id IN (SELECT id FROM sessions WHERE source = ?2)))`

function toSums(row: Row | undefined, messages: number): SessionSums {
  const sum = (name: string) => Number(row?.[name] ?? 0)
  return {
    sessions: sum('sessions'),
    messages,
    usage: {
      inputTokens: sum('input'),
      outputTokens: sum('output'),
      cacheReadTokens: sum('cache_read'),
      cacheWriteTokens: sum('cache_write'),
      reasoningTokens: sum('reasoning'),
    },
    cost: {
      usd: sum('usd'),
      reportedUsd: sum('reported'),
      includedSessions: sum('included'),
      unknownSessions: sum('unknown'),
    },
  }
}

function totals(db: Database, { from, source }: Filter): SessionSums & { readonly toolCalls: number } {
  const row = db
    .prepare(
      `SELECT ${sums}, total(tool_call_count) AS tool_calls,
         (SELECT count(*) FROM messages WHERE ${messageFilter}) AS messages
       FROM sessions WHERE ${sessionFilter}`,
    )
    .get(from, source)
  return { ...toSums(row, Number(row?.['messages'] ?? 0)), toolCalls: Number(row?.['tool_calls'] ?? 0) }
}

/** Sums for each value of a column; the most used first. */
function grouped(db: Database, { from, source }: Filter, column: 'source' | 'model'): [string, SessionSums][] {
  return db
    .prepare(
      `SELECT ${column} AS name, ${sums}, total(message_count) AS messages FROM sessions
       WHERE ${sessionFilter} AND ${column} IS NOT NULL GROUP BY ${column} ORDER BY sessions DESC, name`,
    )
    .all(from, source)
    .map((row) => [String(row['name']), toSums(row, Number(row['messages']))])
}

/** Those of the sessions that are summed. */
function usesIn(db: Database, { from, source }: Filter, sums: readonly OtherModelSum[]): readonly OtherModelUse[] {
  if (sums.length === 0) return []
  const ids = JSON.stringify([...new Set(sums.map(({ sessionId }) => sessionId))])
  const rows = db
    .prepare(`SELECT id, model FROM sessions WHERE ${sessionFilter} AND id IN (SELECT value FROM json_each(?3))`)
    .all(from, source, ids)
  const models = new Map(rows.map((row) => [String(row['id']), String(row['model'])]))
  return sums.flatMap((sum) => {
    const ownModel = models.get(sum.sessionId)
    return ownModel === undefined ? [] : [{ ...sum, ownModel }]
  })
}

function byTool(db: Database, { from, source }: Filter): SessionAnalytics['byTool'] {
  return db
    .prepare(
      `SELECT tool_name AS tool, count(*) AS calls FROM messages
       WHERE ${messageFilter} AND role = 'tool' AND tool_name IS NOT NULL GROUP BY tool_name ORDER BY calls DESC, tool`,
    )
    .all(from, source)
    .map((row) => ({ tool: String(row['tool']), calls: Number(row['calls']) }))
}

/** Sums by the profile's days, and messages by its hours. */
function byTime(db: Database, { from, source }: Filter, clock: Clock): Pick<SessionAnalytics, 'byDay' | 'byHour'> {
  const days = new Map<string, SessionSums>()
  const byHour = Array.from({ length: 24 }, () => 0)
  const wall = wallTimes(clock)
  const add = (bucket: unknown, more: SessionSums) => {
    const { year, month, day, hour } = wall(Number(bucket) * bucketSeconds * 1000)
    const name = `${year}-${two(month)}-${two(day)}`
    const known = days.get(name)
    days.set(name, known ? plus(known, more) : more)
    byHour[hour] = (byHour[hour] ?? 0) + more.messages
  }
  const sessions = db
    .prepare(
      `SELECT CAST(started_at / ?3 AS INTEGER) AS bucket, ${sums} FROM sessions WHERE ${sessionFilter} GROUP BY bucket`,
    )
    .all(from, source, bucketSeconds)
  for (const row of sessions) add(row['bucket'], toSums(row, 0))
  const messages = db
    .prepare(
      `SELECT CAST(timestamp / ?3 AS INTEGER) AS bucket, count(*) AS messages FROM messages WHERE ${messageFilter}
       GROUP BY bucket`,
    )
    .all(from, source, bucketSeconds)
  for (const row of messages) add(row['bucket'], toSums(undefined, Number(row['messages'])))
  const byDay = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, each]) => ({ day, ...each }))
  return { byDay, byHour }
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function pragma(db: Database, name: 'page_count' | 'page_size'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
}
