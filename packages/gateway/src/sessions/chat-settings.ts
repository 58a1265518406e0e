import type { ReasoningEffort } from '@hermes/core/models/model.ts'
import { isReasoningEffort } from '@hermes/core/models/reasoning-effort.ts'
import type { Database } from '@hermes/core/storage/database.ts'

export interface ChosenSettings {
  readonly model?: string
  readonly reasoningEffort?: ReasoningEffort
}

/** What a chat has chosen for its conversation; gone with it. */
export interface ChatSettings {
  /** Both. */
  all(sessionKey: string): Promise<ChosenSettings>
  /** `provider/model` or a bare name; undefined: the configured one. */
  model(sessionKey: string): Promise<string | undefined>
  setModel(sessionKey: string, model: string | undefined): Promise<void>
  /** Undefined: the configured one. */
  reasoning(sessionKey: string): Promise<ReasoningEffort | undefined>
  setReasoning(sessionKey: string, effort: ReasoningEffort | undefined): Promise<void>
}

export function createChatSettings(db: Database): ChatSettings {
  const get = (column: 'model' | 'reasoning', sessionKey: string) =>
    db.read(() => {
      const row = db.prepare(`SELECT ${column} AS value FROM chat_settings WHERE session_key = ?`).get(sessionKey)
      return typeof row?.['value'] === 'string' ? row['value'] : undefined
    })
  const set = (column: 'model' | 'reasoning', sessionKey: string, value: string | undefined) =>
    db.write(() => {
      db.prepare(
        `INSERT INTO chat_settings (session_key, ${column}) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`,
      ).run(sessionKey, value ?? null)
    })
  return {
    all: (sessionKey) =>
      db.read(() => {
        const row = db.prepare('SELECT model, reasoning FROM chat_settings WHERE session_key = ?').get(sessionKey)
        const [model, effort] = [row?.['model'], row?.['reasoning']]
        return {
          ...(typeof model === 'string' && { model }),
          ...(isReasoningEffort(effort) && { reasoningEffort: effort }),
        }
      }),
    model: (sessionKey) => get('model', sessionKey),
    setModel: (sessionKey, model) => set('model', sessionKey, model),
    async reasoning(sessionKey) {
      const effort = await get('reasoning', sessionKey)
      return isReasoningEffort(effort) ? effort : undefined
    },
    setReasoning: (sessionKey, effort) => set('reasoning', sessionKey, effort),
  }
}
