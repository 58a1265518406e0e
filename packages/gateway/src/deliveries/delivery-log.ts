import { existsSync } from 'node:fs'
import type { Home } from '@hermes/core/config/home.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { wakeGateway } from '../deliver/wake-file.ts'
import { openGatewayDatabase } from '../store/gateway-database.ts'

export type DeliveryState = 'waiting' | 'sending' | 'sent' | 'dead'

/** What became of something that was to go out. */
export interface DeliveryRecord {
  readonly id: number
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  readonly state: DeliveryState
  /** `unknown` where it went out: what was said is kept in the session alone. */
  readonly kind: 'text' | 'file' | 'unknown'
  readonly attempts: number
  /** Ms since 1970. */
  readonly queuedAt: number
  readonly endedAt?: number
  /** Not tried before, ms since 1970. */
  readonly notBefore?: number
  readonly error?: string
  /** The service's own id of the message. */
  readonly messageId?: string
  /** What is said; only of what has not gone out, and only where it is asked for. */
  readonly text?: string
}

export interface DeliveryQuery {
  readonly platform?: string
  /** Only what was given up. */
  readonly isFailed?: boolean
  /** Most of them; the latest are taken. */
  readonly count: number
  readonly withTexts?: boolean
}

/** The latest deliveries of a home, oldest first. Empty where nothing was ever to go out. Throws `DatabaseError`. */
export async function readDeliveries(home: Home, query: DeliveryQuery): Promise<readonly DeliveryRecord[]> {
  const { platform, isFailed = false, count, withTexts = false } = query
  return withDatabase(home, [], (db) =>
    db.read(() =>
      db
        .prepare(
          `SELECT * FROM outbox WHERE (? IS NULL OR platform = ?) AND (? = 0 OR state = 'dead')
           ORDER BY id DESC LIMIT ?`,
        )
        .all(platform ?? null, platform ?? null, isFailed ? 1 : 0, count)
        .map((row) => recordOf(row, withTexts))
        .toReversed(),
    ),
  )
}

/**
 * Queues anew what was given up: `gone` where its contents are not kept any more, `unknown` where nothing of this number was
 * given up. A gateway that runs sends it at once.
 */
export async function retryDelivery(home: Home, id: number, now: number): Promise<'queued' | 'gone' | 'unknown'> {
  const done = await withDatabase<'queued' | 'gone' | 'unknown'>(home, 'unknown', (db) =>
    db.write(() => {
      const row = db.prepare(`SELECT part FROM outbox WHERE id = ? AND state = 'dead'`).get(id)
      if (!row) return 'unknown'
      if (row['part'] === null) return 'gone'
      db.prepare(
        `UPDATE outbox SET state = 'waiting', attempts = 0, not_before = 0, created_at = ?, ended_at = NULL, error = NULL, is_told = 0
         WHERE id = ?`,
      ).run(now, id)
      return 'queued'
    }),
  )
  if (done === 'queued') await wakeGateway(home)
  return done
}

async function withDatabase<T>(home: Home, none: T, use: (db: Database) => Promise<T>): Promise<T> {
  if (!existsSync(home.path('gateway.db'))) return none
  const db = await openGatewayDatabase(home)
  try {
    return await use(db)
  } finally {
    db.close()
  }
}

const storedRow = lazily(() =>
  z.object({
    id: z.number(),
    platform: z.string(),
    state: z.enum(['waiting', 'sending', 'sent', 'dead']),
    attempts: z.number(),
    created_at: z.number(),
    ended_at: z.number().nullable(),
    not_before: z.number(),
    error: z.string().nullable(),
    message_id: z.string().nullable(),
    // One that is damaged hides no others.
    chat: json(z.object({ chatId: z.string(), threadId: z.string().optional() })).catch({ chatId: '?' }),
    part: json(
      z.object({ type: z.enum(['text', 'file']), text: z.string().optional(), caption: z.string().optional() }),
    )
      .nullable()
      .catch(null),
  }),
)

function recordOf(row: unknown, withTexts: boolean): DeliveryRecord {
  const { id, platform, state, attempts, chat, part, ...stored } = storedRow().parse(row)
  const { created_at: queuedAt, ended_at: endedAt, not_before: notBefore, error, message_id: messageId } = stored
  const text = part?.text ?? part?.caption
  return {
    id,
    platform,
    chatId: chat.chatId,
    ...(chat.threadId !== undefined && { threadId: chat.threadId }),
    state,
    kind: part?.type ?? 'unknown',
    attempts,
    queuedAt,
    ...(endedAt !== null && { endedAt }),
    ...(endedAt === null && notBefore > 0 && { notBefore }),
    ...(error !== null && { error }),
    ...(messageId !== null && messageId !== '' && { messageId }),
    ...(withTexts && text !== undefined && { text }),
  }
}

function json<Schema extends z.ZodType>(schema: Schema) {
  const parse = (text: string, context: z.RefinementCtx) => {
    try {
      const value: unknown = JSON.parse(text)
      return value
    } catch (error) {
      context.addIssue({ code: 'custom', message: String(error) })
      return z.NEVER
    }
  }
  return z.string().transform(parse).pipe(schema)
}
