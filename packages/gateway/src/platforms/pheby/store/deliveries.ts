import type { Database } from '@hermes/core/storage/database.ts'

/** What came without a message of the person. */
export interface Delivery {
  readonly key: string
  readonly conversationId: string
  readonly messageId: string
  readonly text: string
  /** Ms since 1970. */
  readonly at: number
}

/** Newest ones that a conversation keeps. */
const maxKept = 500

export interface Deliveries {
  /** False where it was added before. */
  add(delivery: Delivery): Promise<boolean>
  /** Oldest first. */
  of(conversationId: string): Promise<readonly Delivery[]>
}

export function createDeliveries(db: Database): Deliveries {
  return {
    add: ({ key, conversationId, messageId, text, at }) =>
      db.write(() => {
        const { changes } = db
          .prepare('INSERT INTO deliveries VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
          .run(key, conversationId, messageId, text, at)
        db.prepare(
          `DELETE FROM deliveries WHERE conversation_id = ?1 AND key NOT IN
           (SELECT key FROM deliveries WHERE conversation_id = ?1 ORDER BY at DESC LIMIT ${maxKept})`,
        ).run(conversationId)
        return Number(changes) > 0
      }),
    of: (conversationId) =>
      db.read(() =>
        db
          .prepare('SELECT * FROM deliveries WHERE conversation_id = ? ORDER BY at')
          .all(conversationId)
          .map((row) => ({
            key: String(row['key']),
            conversationId,
            messageId: String(row['message_id']),
            text: String(row['text']),
            at: Number(row['at']),
          })),
      ),
  }
}
