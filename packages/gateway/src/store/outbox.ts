import type { Database } from '@hermes/core/storage/database.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { ChatRef, OutboundPart } from '../messages/outbound-message.ts'
import { createPlannedWaits } from './planned-waits.ts'

/** Something to send. */
export interface Outgoing {
  /** The same for the same thing, however often it is queued. */
  readonly key: string
  readonly chat: ChatRef
  readonly part: OutboundPart
  /** The person's message that it answers. */
  readonly replyTo?: string
  /** A message of ours that gets this text, where it is still there. */
  readonly editOf?: string
  /** The event whose answer it is. */
  readonly answers?: string
  /** About the gateway's doings, not a part of the conversation. */
  readonly isNotice?: boolean
  /** It is not to go out before that, ms since 1970. */
  readonly notBefore?: number
}

/** What is queued. */
export interface OutboxEntry extends Outgoing {
  readonly id: number
  readonly attempts: number
  /** Ms since 1970. */
  readonly createdAt: number
  /** It was being sent when the process died: it may have arrived. */
  readonly isUncertain: boolean
  /** Nothing waits behind it in its chat. */
  readonly isLast: boolean
}

/** Older answers are not sent any more, ms. */
const maxAgeMs = 24 * 3600 * 1000

const keepMs = 7 * 24 * 3600 * 1000

/** How a message is tried again. */
export interface LaterTry {
  /** Ms since 1970. */
  readonly notBefore: number
  /** Why it did not go out. */
  readonly error: string
  /** It may have gone out all the same. */
  readonly isUncertain: boolean
  /** Tries that count against those that a message has, this one included. */
  readonly attempts: number
}

export interface NextEntries {
  readonly ready: readonly OutboxEntry[]
  /** Ms since 1970. */
  readonly nextAt: number | undefined
  /** What nobody can read, first in its lane: to be given up, so that what is behind it goes out. */
  readonly unreadable?: readonly number[]
}

/** What is to go out, on disk before the first try. Throws `DatabaseError`. */
export interface Outbox {
  /** Queues; what is known already by its key is not queued again. */
  add(outgoing: readonly Outgoing[]): Promise<void>
  /**
   * The next one of each lane of a platform that may be sent now, and when the next one may where none can. What is too
   * old is never one of them.
   */
  next(platform: string): Promise<NextEntries>
  /**
   * It is being sent. That is noted where a crash meanwhile would leave it in doubt. False where it was taken back: then it
   * must not go out.
   */
  sending(id: number, how: { readonly isDoubtful: boolean }): Promise<boolean>
  sent(id: number, messageId: string): Promise<void>
  /** It did not go out, as far as is known, and is tried again. */
  later(id: number, how: LaterTry): Promise<void>
  /** It never goes out. */
  dead(id: number, error: string): Promise<void>
  /**
   * Takes back what of the answers of a conversation has not gone out, and what of that is queued for mirrors. Resolves to
   * how many messages that were, without the latter.
   */
  dropAnswers(sessionKey: string): Promise<number>
  /** Gives up what is too old, and forgets what ended long ago. Resolves to how many were given up. */
  tidy(): Promise<number>
}

const chatRef = lazily((): z.ZodType<ChatRef> =>
  z.object({
    platform: z.string(),
    chatId: z.string(),
    chatType: z.enum(['dm', 'group', 'channel', 'thread']),
    threadId: z.string().optional(),
  }),
)

const outboundPart = lazily((): z.ZodType<OutboundPart> =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('text'),
      text: z.string(),
      buttons: z.array(z.object({ label: z.string(), data: z.string() })).optional(),
    }),
    z.object({
      type: z.literal('file'),
      kind: z.enum(['image', 'audio', 'voice', 'video', 'document']),
      path: z.string(),
      caption: z.string().optional(),
    }),
  ]),
)

/** Messages to one chat keep their order; chats do not wait for each other. */
export function outboxLane({ chatId, threadId }: ChatRef): string {
  return JSON.stringify([chatId, threadId ?? null])
}

/** `now`: ms since 1970; `elapsed`: monotonic ms. */
export function createOutbox(db: Database, now: () => number, elapsed?: () => number): Outbox {
  const waits = createPlannedWaits(now, elapsed)
  /** One of each chat at most. */
  const underWay = new Set<number>()
  /** Those of them that are not tried again where they fail. */
  const unwanted = new Set<number>()
  /** Takes one back with its copies in mirrors, inside a transaction. False where it is under way. */
  const takeBack = (id: number): boolean => {
    if (underWay.has(id)) {
      unwanted.add(id)
      return false
    }
    waits.forget(id)
    const key = db.prepare('DELETE FROM outbox WHERE id = ? RETURNING key').get(id)?.['key']
    const copies = db.prepare(
      `SELECT id FROM outbox WHERE state IN ('waiting', 'sending')
         AND (key GLOB 'mirror:*:' || ?1 OR key GLOB 'mirror:*:' || ?1 || ':*')`,
    )
    if (typeof key === 'string') for (const copy of copies.all(key)) takeBack(Number(copy['id']))
    return true
  }
  const end = (id: number, state: 'sent' | 'dead', more: { messageId?: string; error?: string }) =>
    db.write(() => {
      underWay.delete(id)
      unwanted.delete(id)
      waits.forget(id)
      // What was said stays in the session alone; what was given up is kept, so that it can be tried again.
      db.prepare(
        `UPDATE outbox SET state = ?1, ended_at = ?2, part = CASE ?1 WHEN 'dead' THEN part END, message_id = ?3, error = ?4
         WHERE id = ?5`,
      ).run(state, now(), more.messageId ?? null, more.error ?? null, id)
    })
  return {
    add: (outgoing) =>
      db.write(() => {
        for (const one of outgoing) insertOutgoing(db, one, now())
      }),
    next: (platform) =>
      db.read(() => {
        // The first open one of each lane: what comes behind it waits.
        const rows = db
          .prepare(
            `SELECT outbox.*, waiting FROM (
               SELECT min(id) AS first, count(*) AS waiting FROM outbox
               WHERE platform = ? AND state IN ('waiting', 'sending') AND created_at >= ? GROUP BY lane
             ) JOIN outbox ON outbox.id = first ORDER BY id`,
          )
          .all(platform, now() - maxAgeMs)
        const ready: OutboxEntry[] = []
        const unreadable: number[] = []
        let least: number | undefined
        for (const row of rows) {
          const entry = entryOf(row)
          const left = waits.left(Number(row['id']), Number(row['not_before']), Number(row['wait_ms']))
          if (!entry) unreadable.push(Number(row['id']))
          else if (left <= 0) ready.push(entry)
          else least = Math.min(least ?? left, left)
        }
        const nextAt = least === undefined ? undefined : now() + least
        return { ready, nextAt, ...(unreadable.length > 0 && { unreadable }) }
      }),
    async sending(id, { isDoubtful }) {
      const wanted = "WHERE id = ? AND state IN ('waiting', 'sending')"
      const noting = `UPDATE outbox SET state = 'sending', attempts = attempts + 1 ${wanted}`
      const isWanted = isDoubtful
        ? await db.write(() => Number(db.prepare(noting).run(id).changes) > 0)
        : await db.read(() => db.prepare(`SELECT 1 FROM outbox ${wanted}`).get(id) !== undefined)
      if (isWanted) underWay.add(id)
      return isWanted
    },
    sent: (id, messageId) => end(id, 'sent', { messageId }),
    async later(id, { notBefore, error, isUncertain, attempts }) {
      await db.write(() => {
        underWay.delete(id)
        if (unwanted.has(id)) return void takeBack(id)
        db.prepare(
          'UPDATE outbox SET state = ?, not_before = ?, wait_ms = ?, error = ?, attempts = ? WHERE id = ?',
        ).run(isUncertain ? 'sending' : 'waiting', notBefore, notBefore - now(), error, attempts, id)
      })
      unwanted.delete(id)
    },
    dead: (id, error) => end(id, 'dead', { error }),
    dropAnswers: (sessionKey) =>
      db.write(() => {
        // The key of each names the message that it answers.
        const open = db.prepare(
          `SELECT id FROM outbox WHERE state IN ('waiting', 'sending') AND is_notice = 0
             AND (key GLOB 'reply:*' OR key GLOB 'file:*' OR key GLOB 'voice:*')
             AND EXISTS (
               SELECT 1 FROM inbox WHERE session_key = ? AND inbox.id = CAST(substr(key, instr(key, ':') + 1) AS INTEGER)
             )`,
        )
        return open.all(sessionKey).filter(({ id }) => takeBack(Number(id))).length
      }),
    tidy: () =>
      db.write(() => {
        const { changes } = db
          .prepare(
            `UPDATE outbox SET state = 'dead', ended_at = ?, error = 'too old'
             WHERE state IN ('waiting', 'sending') AND created_at < ?`,
          )
          .run(now(), now() - maxAgeMs)
        db.prepare('DELETE FROM outbox WHERE ended_at < ?').run(now() - keepMs)
        return Number(changes)
      }),
  }
}

/** Inside a transaction. */
export function insertOutgoing(db: Database, outgoing: Outgoing, at: number): void {
  const { key, chat, part, replyTo, editOf, answers, isNotice, notBefore = 0 } = outgoing
  db.prepare(
    `INSERT INTO outbox (key, platform, lane, chat, part, reply_to, edit_of, answers, is_notice, not_before, wait_ms, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT DO NOTHING`,
  ).run(
    key,
    chat.platform,
    outboxLane(chat),
    JSON.stringify(chat),
    JSON.stringify(part),
    replyTo ?? null,
    editOf ?? null,
    answers ?? null,
    isNotice ? 1 : 0,
    notBefore,
    Math.max(0, notBefore - at),
    at,
  )
}

function entryOf(row: Readonly<Record<string, unknown>>): OutboxEntry | undefined {
  const chat = chatRef().safeParse(parseJson(row['chat']))
  const part = outboundPart().safeParse(parseJson(row['part']))
  if (!chat.success || !part.success) return undefined
  const [replyTo, editOf, answers] = [row['reply_to'], row['edit_of'], row['answers']]
  return {
    id: Number(row['id']),
    key: String(row['key']),
    chat: chat.data,
    part: part.data,
    ...(typeof replyTo === 'string' && { replyTo }),
    ...(typeof editOf === 'string' && { editOf }),
    ...(typeof answers === 'string' && { answers }),
    ...(row['is_notice'] === 1 && { isNotice: true }),
    attempts: Number(row['attempts']),
    createdAt: Number(row['created_at']),
    isUncertain: row['state'] === 'sending',
    isLast: row['waiting'] === 1,
  }
}

function parseJson(value: unknown): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return undefined
  }
}
