import type { Database } from '@hermes/core/storage/database.ts'

/** What a chat has chosen for its conversation; gone with it. */
export interface ChatSettings {
  /** `provider/model` or a bare name; undefined: the configured one. */
  model(sessionKey: string): Promise<string | undefined>
  setModel(sessionKey: string, model: string | undefined): Promise<void>
}

export function createChatSettings(db: Database): ChatSettings {
  return {
    model: (sessionKey) =>
      db.read(() => {
        const row = db.prepare('SELECT model FROM chat_settings WHERE session_key = ?').get(sessionKey)
        return typeof row?.['model'] === 'string' ? row['model'] : undefined
      }),
    setModel: (sessionKey, model) =>
      db.write(() => {
        db.prepare(
          `INSERT INTO chat_settings (session_key, model) VALUES (?, ?)
           ON CONFLICT DO UPDATE SET model = excluded.model`,
        ).run(sessionKey, model ?? null)
      }),
  }
}
