import { randomBytes } from 'node:crypto'
import type { Database } from '@hermes/core/storage/database.ts'

export interface Conversation {
  readonly id: string
  /** As the person called it; empty where they did not. */
  readonly name: string
  /** Times in ms since 1970. */
  readonly createdAt: number
  readonly lastActive: number | undefined
}

/** The conversations of the app. */
export interface Conversations {
  create(name: string): Promise<Conversation>
  /** Undefined where there is none, or it was deleted. */
  find(id: string): Promise<Conversation | undefined>
  /** Used last first. */
  list(): Promise<readonly Conversation[]>
  rename(id: string, name: string): Promise<void>
  /** Names one that nobody has named. False where somebody has, or it is gone. */
  suggestName(id: string, name: string): Promise<boolean>
  remove(id: string): Promise<void>
  /** Something happened in it. */
  touch(id: string): Promise<void>
  /** Takes one in that something is brought to, or another program has made. Undefined where it was deleted. */
  adopt(id: string, name: string, lastActive?: number): Promise<{ readonly isNew: boolean } | undefined>
}

/** `now`: ms since 1970. */
export function createConversations(db: Database, now: () => number): Conversations {
  const read = (id: string) => db.prepare('SELECT * FROM conversations WHERE id = ?').get(id)
  const insert = (id: string, name: string, lastActive: number | null) =>
    db
      .prepare('INSERT INTO conversations (id, name, created_at, last_active) VALUES (?, ?, ?, ?)')
      .run(id, name, now(), lastActive)
  return {
    create: (name) =>
      db.write(() => {
        const id = randomBytes(16).toString('hex')
        insert(id, name, null)
        return { id, name, createdAt: now(), lastActive: undefined }
      }),
    find: (id) =>
      db.read(() => {
        const row = read(id)
        return row && row['deleted_at'] === null ? conversationOf(row) : undefined
      }),
    list: () =>
      db.read(() =>
        db
          .prepare(
            'SELECT * FROM conversations WHERE deleted_at IS NULL ORDER BY coalesce(last_active, created_at) DESC',
          )
          .all()
          .map(conversationOf),
      ),
    rename: (id, name) =>
      db.write(() => void db.prepare('UPDATE conversations SET name = ? WHERE id = ?').run(name, id)),
    suggestName: (id, name) =>
      db.write(() => {
        const unnamed = `UPDATE conversations SET name = ? WHERE id = ? AND name = '' AND deleted_at IS NULL`
        return Number(db.prepare(unnamed).run(name, id).changes) > 0
      }),
    remove: (id) =>
      db.write(() => {
        db.prepare(`UPDATE conversations SET deleted_at = ?, name = '' WHERE id = ?`).run(now(), id)
        db.prepare('DELETE FROM deliveries WHERE conversation_id = ?').run(id)
      }),
    touch: (id) =>
      db.write(() => void db.prepare('UPDATE conversations SET last_active = ? WHERE id = ?').run(now(), id)),
    adopt: (id, name, lastActive) =>
      db.write(() => {
        const row = read(id)
        if (row) return row['deleted_at'] === null ? { isNew: false } : undefined
        insert(id, name, lastActive ?? null)
        return { isNew: true }
      }),
  }
}

function conversationOf(row: Readonly<Record<string, unknown>>): Conversation {
  return {
    id: String(row['id']),
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    lastActive: row['last_active'] === null ? undefined : Number(row['last_active']),
  }
}
