import type { Database } from '@hermes/core/storage/database.ts'
import type { PhebyAttachment } from '@hermes/protocol/pheby/types.ts'

/** A file that was handed over to clients. */
export interface StoredAttachment {
  readonly id: string
  readonly key: string
  readonly conversationId: string
  readonly messageId: string | undefined
  readonly filename: string
  readonly mimeType: string
  readonly size: number
  readonly kind: PhebyAttachment['kind']
  /** Times in ms since 1970. */
  readonly createdAt: number
  readonly expiresAt: number | undefined
}

/** Newest ones that a snapshot of a conversation holds. */
const maxListed = 500

export interface StoredAttachments {
  add(attachment: StoredAttachment): Promise<void>
  /** Undefined where there is none, or its time is over. */
  find(id: string): Promise<StoredAttachment | undefined>
  findByKey(key: string): Promise<StoredAttachment | undefined>
  /** Those that can be fetched, oldest first. */
  of(conversationId: string): Promise<readonly StoredAttachment[]>
  /** Forgets those whose time is over. Resolves to the ids of all others. */
  tidy(): Promise<ReadonlySet<string>>
}

/** `now`: ms since 1970. */
export function createStoredAttachments(db: Database, now: () => number): StoredAttachments {
  const live = '(expires_at IS NULL OR expires_at > ?)'
  return {
    add: (one) =>
      db.write(() => {
        db.prepare('INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING').run(
          one.id,
          one.key,
          one.conversationId,
          one.messageId ?? null,
          one.filename,
          one.mimeType,
          one.size,
          one.kind,
          one.createdAt,
          one.expiresAt ?? null,
        )
      }),
    find: (id) =>
      db.read(() => {
        const row = db.prepare(`SELECT * FROM attachments WHERE id = ? AND ${live}`).get(id, now())
        return row && attachmentOf(row)
      }),
    findByKey: (key) =>
      db.read(() => {
        const row = db.prepare('SELECT * FROM attachments WHERE key = ?').get(key)
        return row && attachmentOf(row)
      }),
    of: (conversationId) =>
      db.read(() =>
        db
          .prepare(
            `SELECT * FROM attachments WHERE conversation_id = ? AND ${live} ORDER BY created_at DESC LIMIT ${maxListed}`,
          )
          .all(conversationId, now())
          .map(attachmentOf)
          .toReversed(),
      ),
    tidy: () =>
      db.write(() => {
        db.prepare('DELETE FROM attachments WHERE expires_at <= ?').run(now())
        return new Set(
          db
            .prepare('SELECT id FROM attachments')
            .all()
            .map((row) => String(row['id'])),
        )
      }),
  }
}

function attachmentOf(row: Readonly<Record<string, unknown>>): StoredAttachment {
  return {
    id: String(row['id']),
    key: String(row['key']),
    conversationId: String(row['conversation_id']),
    messageId: typeof row['message_id'] === 'string' ? row['message_id'] : undefined,
    filename: String(row['filename']),
    mimeType: String(row['mime_type']),
    size: Number(row['size']),
    // Written by this file alone.
    kind: String(row['kind']) as PhebyAttachment['kind'],
    createdAt: Number(row['created_at']),
    expiresAt: row['expires_at'] === null ? undefined : Number(row['expires_at']),
  }
}
