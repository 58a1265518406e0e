import type { Clock } from '../agent/clock.ts'
import type { Database } from '../storage/database.ts'
import { newSessionId } from './session-id.ts'
import { toSession } from './session-row.ts'
import { type NewSession, type Session, SessionError, type UsageDelta } from './store.ts'
import { cleanTitle, lineageBase, lineageNumber, nextInLineage } from './titles.ts'

/** Compactions in a row that are followed; a longer line is taken for a ring. */
const maxGenerations = 10_000

/** Makes a session; one that exists already is left as it is and returned, as upstream does. */
export function insertSession(db: Database, clock: Clock, session: NewSession): Session {
  const id = session.id ?? newSessionId(clock)
  if (session.parentId !== undefined) requireSession(db, session.parentId)
  const startedAt = clock.now()
  const inserted = db
    .prepare(
      `INSERT OR IGNORE INTO sessions (id, source, user_id, model, model_config, parent_session_id, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      session.source,
      session.userId ?? null,
      session.model ?? null,
      session.modelConfig ? JSON.stringify(session.modelConfig) : null,
      session.parentId ?? null,
      startedAt / 1000,
    )
  return Number(inserted.changes) > 0 ? newSession(id, session, startedAt) : requireSession(db, id)
}

/** A session as it is when it is made. */
export function newSession(id: string, { source, userId, model, parentId }: NewSession, startedAt: number): Session {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  const open = { systemPrompt: undefined, endedAt: undefined, endReason: undefined, title: undefined }
  const counts = { messageCount: 0, toolCallCount: 0, usage, estimatedCostUsd: undefined }
  return { id, source, userId, model, parentId, startedAt: Math.round(startedAt), ...open, ...counts }
}

export function findSession(db: Database, id: string): Session | undefined {
  const row = db.prepare('SELECT * FROM sessions WHERE id = ?').get(id)
  return row && toSession(row)
}

/** The session that carries a compacted one on now, over all compactions since; itself where there was none. */
export function sessionCarryingOn(db: Database, id: string): Session | undefined {
  let last = findSession(db, id)
  for (let i = 0; i < maxGenerations && last?.endReason === 'compression'; i++) {
    const child = db
      .prepare(
        `SELECT child.* FROM sessions AS child JOIN sessions AS parent ON parent.id = child.parent_session_id
         WHERE parent.id = ? AND child.started_at >= parent.ended_at
         ORDER BY child.started_at DESC, child.id DESC LIMIT 1`,
      )
      .get(last.id)
    if (!child) break
    last = toSession(child)
  }
  return last
}

export function requireSession(db: Database, id: string): Session {
  const session = findSession(db, id)
  if (!session) throw unknownSession(id)
  return session
}

/** The error for an id that names no session. */
export function unknownSession(id: string): SessionError {
  return new SessionError('not-found', `There is no session ${id}`)
}

/** A session by id, by title (the newest started of a numbered lineage), or by the beginning of one id alone. */
export function resolveSession(db: Database, idOrTitle: string): Session | undefined {
  const wanted = idOrTitle.trim()
  if (wanted === '') return undefined
  return findSession(db, wanted) ?? findByTitle(db, wanted) ?? findByPrefix(db, wanted)
}

function findByTitle(db: Database, title: string): Session | undefined {
  const lineage = titlesOf(db, title)
  const newest = lineage.find((row) => row.title !== title) ?? lineage[0]
  return newest && findSession(db, newest.id)
}

function findByPrefix(db: Database, prefix: string): Session | undefined {
  const rows = db
    .prepare('SELECT * FROM sessions WHERE id >= ?1 AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 2')
    .all(prefix)
  return rows.length === 1 ? toSession(rows[0]!) : undefined
}

/** The sessions of a title's lineage, those started last first. */
function titlesOf(db: Database, base: string): { id: string; title: string }[] {
  return db
    .prepare(
      `SELECT id, title, started_at FROM sessions WHERE title = ?1
       UNION ALL SELECT id, title, started_at FROM sessions WHERE ${numberedTitles} ORDER BY started_at DESC, id DESC`,
    )
    .all(base)
    .map((row) => ({ id: String(row['id']), title: String(row['title']) }))
    .filter((row) => lineageNumber(base, row.title) !== undefined)
}

/** A title that begins as the numbered ones of `?1` do. `$` is what follows `#`, so that the index finds them. */
const numberedTitles = "title > ?1 || ' #' AND title < ?1 || ' $'"

/** Longer numbers count no further, since one more is the same to a computer. */
const maxDigits = 15

/** The titles that say where a lineage has got to: its base and the one with the highest number. */
function endsOf(db: Database, base: string): readonly string[] {
  const longest = db.prepare(
    `SELECT max(length(title)) AS length FROM sessions WHERE ${numberedTitles} AND length(title) < ?2`,
  )
  // Of one length the highest is the last. To look for numbers of all lengths at once would mean to read all of them.
  const last = db.prepare(
    `SELECT title FROM sessions WHERE ${numberedTitles} AND length(title) = ?2
     AND substr(title, length(?1) + 3) NOT GLOB '*[^0-9]*' ORDER BY title DESC LIMIT 1`,
  )
  const own = titleOwner(db, base) === undefined ? [] : [base]
  for (let below = Array.from(base).length + ' #'.length + maxDigits + 1; ;) {
    const length = longest.get(base, below)?.['length']
    if (typeof length !== 'number') return own
    const highest = last.get(base, length)?.['title']
    if (typeof highest === 'string') return [...own, highest]
    below = length
  }
}

/** The next free title in the lineage of `title`. */
export function nextTitle(db: Database, title: string): string {
  let base = lineageBase(title)
  for (;;) {
    const next = nextInLineage(base, endsOf(db, base))
    if (titleOwner(db, next) === undefined) return next
    // The base was cut to make room for the number, and the shorter name has a lineage of its own.
    base = lineageBase(next)
  }
}

/** Cleans a title and checks that no session but `id` has it. */
export function freeTitle(db: Database, title: string, id: string): string | undefined {
  const cleaned = cleanTitle(title)
  const owner = cleaned === undefined ? undefined : titleOwner(db, cleaned)
  if (owner !== undefined && owner !== id) {
    throw new SessionError('title-taken', `The title “${cleaned}” is already that of session ${owner}`)
  }
  return cleaned
}

function titleOwner(db: Database, title: string): string | undefined {
  const row = db.prepare('SELECT id FROM sessions WHERE title = ?').get(title)
  return row && String(row['id'])
}

export function renameSession(db: Database, id: string, title: string): string | undefined {
  const free = freeTitle(db, title, id)
  changeOne(id, db.prepare('UPDATE sessions SET title = ? WHERE id = ?').run(free ?? null, id))
  return free
}

/** Numbered where another session has the title already. A title that somebody gives meanwhile is not lost. */
export function suggestTitle(db: Database, id: string, title: string): string | undefined {
  const cleaned = cleanTitle(title)
  if (cleaned === undefined) return undefined
  const free = titleOwner(db, cleaned) === undefined ? cleaned : nextTitle(db, cleaned)
  const update = db.prepare('UPDATE sessions SET title = ? WHERE id = ? AND title IS NULL')
  return update.run(free, id).changes > 0 ? free : undefined
}

export function setSystemPrompt(db: Database, id: string, systemPrompt: string): void {
  changeOne(id, db.prepare('UPDATE sessions SET system_prompt = ? WHERE id = ?').run(systemPrompt, id))
}

export function endSession(db: Database, clock: Clock, id: string, reason: string): void {
  const update = db.prepare('UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ?')
  changeOne(id, update.run(clock.now() / 1000, reason, id))
}

export function reopenSession(db: Database, id: string): void {
  changeOne(id, db.prepare('UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?').run(id))
}

/** What is counted and noted of a session with a message that came of a call. */
export interface MessageOfCall {
  readonly toolCalls: number
  readonly systemPrompt: string | undefined
}

/**
 * Adds one call's tokens and cost, and counts the message that came of it; returns the session's model. What names the bill
 * keeps its first value. How the cost is known is what holds for the sum: unknown where a part is, included where all is,
 * else as it was known last.
 */
export function addSessionUsage(db: Database, id: string, delta: UsageDelta, message?: MessageOfCall): string {
  const { usage } = delta
  const values = [
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    usage.reasoningTokens,
    delta.estimatedCostUsd ?? null,
    delta.actualCostUsd ?? null,
    delta.model,
    delta.billingProvider ?? null,
    delta.billingBaseUrl ?? null,
    delta.costStatus ?? null,
    delta.costSource ?? null,
    delta.pricingVersion ?? null,
    id,
    message ? 1 : 0,
    message?.toolCalls ?? 0,
    message?.systemPrompt ?? null,
  ] as const
  // The usual case; to ask for the model back would take twice as long.
  if (Number(db.prepare(`${addUsage} AND (model IS NULL OR model = ?8)`).run(...values).changes) > 0) return delta.model
  const row = db.prepare(`${addUsage} RETURNING model`).get(...values)
  if (!row) throw unknownSession(id)
  return String(row['model'])
}

const addUsage = `UPDATE sessions SET
    input_tokens = COALESCE(input_tokens, 0) + ?1,
    output_tokens = COALESCE(output_tokens, 0) + ?2,
    cache_read_tokens = COALESCE(cache_read_tokens, 0) + ?3,
    cache_write_tokens = COALESCE(cache_write_tokens, 0) + ?4,
    reasoning_tokens = COALESCE(reasoning_tokens, 0) + ?5,
    estimated_cost_usd = COALESCE(estimated_cost_usd, 0) + COALESCE(?6, 0),
    actual_cost_usd = COALESCE(actual_cost_usd + ?7, actual_cost_usd, ?7),
    model = COALESCE(model, ?8),
    billing_provider = COALESCE(billing_provider, ?9),
    billing_base_url = COALESCE(billing_base_url, ?10),
    cost_status = CASE
      WHEN 'unknown' IN (cost_status, ?11) THEN 'unknown'
      WHEN ?11 = 'included' THEN COALESCE(cost_status, 'included')
      ELSE COALESCE(?11, cost_status) END,
    cost_source = COALESCE(?12, cost_source),
    pricing_version = COALESCE(?13, pricing_version),
    message_count = COALESCE(message_count, 0) + ?15,
    tool_call_count = COALESCE(tool_call_count, 0) + ?16,
    system_prompt = COALESCE(?17, system_prompt)
  WHERE id = ?14`

function changeOne(id: string, result: { readonly changes: number | bigint }): void {
  if (Number(result.changes) === 0) throw unknownSession(id)
}
