import type { Database } from '@hermes/core/storage/database.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { eventKey } from '../messages/inbound-message.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import { insertOutgoing } from './outbox.ts'
import type { Outgoing } from './outbox.ts'

/** A message that has come in and is not dealt with. */
export interface InboxEntry {
  readonly id: number
  readonly sessionKey: string
  readonly message: InboundMessage
  /** Its turn has begun, here or in a process that died: where, and how many messages the session had before. */
  readonly begun?: { readonly sessionId: string; readonly messagesBefore: number }
  /** The service's id of our message that its answer was growing in when a process ended. */
  readonly draft?: string
}

/** How a message ended. */
export type InboxEnd = 'answered' | 'refused' | 'failed'

/** A message that comes of another one. */
export interface NextMessage {
  readonly message: InboundMessage
  readonly sessionKey: string
}

/** Keys of events are kept so long, so that a service that gives one again is not answered twice. */
const keepKeysMs = 30 * 24 * 3600 * 1000

/** What came in, on disk before the service is told that it arrived. Throws `DatabaseError`. */
export interface Inbox {
  /** Stores a message; undefined where its event is known already. */
  add(message: InboundMessage, sessionKey: string): Promise<InboxEntry | undefined>
  /** Notes that its turn begins. */
  begin(id: number, sessionId: string, messagesBefore: number): Promise<void>
  /** The same inside a transaction of the same store. */
  beginInStep(id: number, sessionId: string, messagesBefore: number): void
  /** Notes in which message of ours its answer grows, or that it does in none. */
  draft(id: number, messageId: string | undefined): Promise<void>
  /**
   * Ends some messages, queues what is said to them and stores the messages that come of them, all or nothing. Resolves
   * to the latter.
   */
  end(
    ids: readonly number[],
    state: InboxEnd,
    replies: readonly Outgoing[],
    next?: readonly NextMessage[],
  ): Promise<readonly InboxEntry[]>
  /** Everything that is not dealt with, oldest first. */
  open(): Promise<readonly InboxEntry[]>
  /** Forgets what ended long ago. */
  tidy(): Promise<void>
}

const source = lazily(() =>
  z.object({
    platform: z.string(),
    account: z.string(),
    chatId: z.string(),
    chatType: z.enum(['dm', 'group', 'channel', 'thread']),
    chatName: z.string().optional(),
    chatTopic: z.string().optional(),
    threadId: z.string().optional(),
    parentId: z.string().optional(),
    userId: z.string().optional(),
    userName: z.string().optional(),
    userIdAlt: z.string().optional(),
    listedAs: z.string().optional(),
  }),
)

const storedMessage = lazily((): z.ZodType<InboundMessage> =>
  z.object({
    eventId: z.string(),
    messageId: z.string().optional(),
    source: source(),
    text: z.string(),
    attachments: z.array(
      z.object({
        kind: z.enum(['image', 'audio', 'voice', 'video', 'document']),
        path: z.string(),
        mimeType: z.string(),
        name: z.string().optional(),
        transcript: z.string().optional(),
      }),
    ),
    replyToText: z.string().optional(),
    background: z.string().optional(),
    sentAt: z.number(),
    skills: z.array(z.string()).optional(),
    prepared: z.object({ isTyped: z.boolean(), replaces: z.number().optional() }).optional(),
    isInternal: z.boolean().optional(),
  }),
)

/** `now`: ms since 1970. */
export function createInbox(db: Database, now: () => number): Inbox {
  const insert = ({ message, sessionKey }: NextMessage): InboxEntry | undefined => {
    const row = db
      .prepare(
        `INSERT INTO inbox (event_key, session_key, message, received_at, state) VALUES (?, ?, ?, ?, 'waiting')
         ON CONFLICT DO NOTHING RETURNING id`,
      )
      .get(eventKey(message), sessionKey, JSON.stringify(message), now())
    return row ? { id: Number(row['id']), sessionKey, message } : undefined
  }
  const begin = (id: number, sessionId: string, messagesBefore: number): void => {
    db.prepare(`UPDATE inbox SET state = 'running', session_id = ?, messages_before = ? WHERE id = ?`).run(
      sessionId,
      messagesBefore,
      id,
    )
  }
  return {
    add: (message, sessionKey) => db.write(() => insert({ message, sessionKey })),
    begin: (id, sessionId, messagesBefore) => db.write(() => begin(id, sessionId, messagesBefore)),
    beginInStep: begin,
    draft: (id, messageId) =>
      db.write(() => {
        db.prepare('UPDATE inbox SET draft = ? WHERE id = ?').run(messageId ?? null, id)
      }),
    end: (ids, state, replies, next = []) =>
      db.write(() => {
        for (const id of ids) {
          // What was said stays in the session alone.
          db.prepare('UPDATE inbox SET state = ?, ended_at = ?, message = NULL WHERE id = ?').run(state, now(), id)
        }
        for (const reply of replies) insertOutgoing(db, reply, now())
        return next.flatMap((one) => insert(one) ?? [])
      }),
    open: () =>
      db.read(() =>
        db
          .prepare(`SELECT * FROM inbox WHERE state IN ('waiting', 'running') ORDER BY id`)
          .all()
          .flatMap((row) => entryOf(row) ?? []),
      ),
    tidy: () =>
      db.write(() => {
        db.prepare('DELETE FROM inbox WHERE ended_at < ?').run(now() - keepKeysMs)
      }),
  }
}

function entryOf(row: Readonly<Record<string, unknown>>): InboxEntry | undefined {
  const parsed = storedMessage().safeParse(parseJson(row['message']))
  if (!parsed.success) return undefined
  const { session_id: sessionId, draft } = row
  return {
    id: Number(row['id']),
    sessionKey: String(row['session_key']),
    message: parsed.data,
    ...(typeof sessionId === 'string' && { begun: { sessionId, messagesBefore: Number(row['messages_before']) } }),
    ...(typeof draft === 'string' && draft !== '' && { draft }),
  }
}

function parseJson(value: unknown): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return undefined
  }
}
