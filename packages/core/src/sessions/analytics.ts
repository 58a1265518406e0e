import type { Clock } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import type { SessionAnalytics } from './store.ts'

/** Every time zone's days begin at a quarter of an hour of UTC. */
const bucketSeconds = 900

/** Sums over the sessions that started, and the messages written, since a time (ms). */
export function analyseSessions(db: Database, clock: Clock, since: number): SessionAnalytics {
  const from = since / 1000
  return {
    ...totals(db, from),
    databaseBytes: pragma(db, 'page_count') * pragma(db, 'page_size'),
    bySource: bySource(db, from),
    byModel: byModel(db, from),
    byTool: byTool(db, from),
    byDay: byDay(db, from, clock.timeZone),
  }
}

function totals(db: Database, from: number) {
  const row = db
    .prepare(
      `SELECT count(*) AS sessions,
         (SELECT count(*) FROM messages WHERE timestamp >= ?1 AND role <> 'session_meta') AS messages,
         total(tool_call_count) AS tool_calls, total(input_tokens) AS input, total(output_tokens) AS output,
         total(cache_read_tokens) AS cache_read, total(cache_write_tokens) AS cache_write,
         total(reasoning_tokens) AS reasoning, total(COALESCE(actual_cost_usd, estimated_cost_usd)) AS cost
       FROM sessions WHERE started_at >= ?1`,
    )
    .get(from)
  const sum = (name: string) => Number(row?.[name] ?? 0)
  return {
    sessions: sum('sessions'),
    messages: sum('messages'),
    toolCalls: sum('tool_calls'),
    usage: {
      inputTokens: sum('input'),
      outputTokens: sum('output'),
      cacheReadTokens: sum('cache_read'),
      cacheWriteTokens: sum('cache_write'),
      reasoningTokens: sum('reasoning'),
    },
    estimatedCostUsd: sum('cost'),
  }
}

function bySource(db: Database, from: number): SessionAnalytics['bySource'] {
  return db
    .prepare(
      `SELECT source, count(*) AS sessions, total(message_count) AS messages FROM sessions WHERE started_at >= ?
       GROUP BY source ORDER BY sessions DESC, source`,
    )
    .all(from)
    .map((row) => ({
      source: String(row['source']),
      sessions: Number(row['sessions']),
      messages: Number(row['messages']),
    }))
}

function byModel(db: Database, from: number): SessionAnalytics['byModel'] {
  return db
    .prepare(
      `SELECT model, count(*) AS sessions, total(input_tokens) AS input, total(output_tokens) AS output FROM sessions
       WHERE started_at >= ? AND model IS NOT NULL GROUP BY model ORDER BY sessions DESC, model`,
    )
    .all(from)
    .map((row) => ({
      model: String(row['model']),
      sessions: Number(row['sessions']),
      inputTokens: Number(row['input']),
      outputTokens: Number(row['output']),
    }))
}

function byTool(db: Database, from: number): SessionAnalytics['byTool'] {
  return db
    .prepare(
      `SELECT tool_name AS tool, count(*) AS calls FROM messages
       WHERE timestamp >= ? AND role = 'tool' AND tool_name IS NOT NULL GROUP BY tool_name ORDER BY calls DESC, tool`,
    )
    .all(from)
    .map((row) => ({ tool: String(row['tool']), calls: Number(row['calls']) }))
}

function byDay(db: Database, from: number, timeZone: string): SessionAnalytics['byDay'] {
  const days = new Map<string, { day: string; sessions: number; messages: number }>()
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const rows = db
    .prepare(
      `SELECT bucket, total(sessions) AS sessions, total(messages) AS messages FROM (
         SELECT CAST(started_at / ?2 AS INTEGER) AS bucket, 1 AS sessions, 0 AS messages
           FROM sessions WHERE started_at >= ?1
         UNION ALL
         SELECT CAST(timestamp / ?2 AS INTEGER), 0, 1
           FROM messages WHERE timestamp >= ?1 AND role <> 'session_meta'
       ) GROUP BY bucket ORDER BY bucket`,
    )
    .all(from, bucketSeconds)
  for (const row of rows) {
    const day = format.format(Number(row['bucket']) * bucketSeconds * 1000)
    const sums = days.get(day) ?? { day, sessions: 0, messages: 0 }
    sums.sessions += Number(row['sessions'])
    sums.messages += Number(row['messages'])
    days.set(day, sums)
  }
  return [...days.values()]
}

function pragma(db: Database, name: 'page_count' | 'page_size'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
}
