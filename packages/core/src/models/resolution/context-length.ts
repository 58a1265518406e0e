import type { Choice } from './choice.ts'
import { countSetting } from './models-config.ts'
import type { ModelsConfig } from './models-config.ts'
import type { UserEndpoint } from './user-endpoints.ts'

/** The context window that the configuration gives a model, tokens. */
export function configuredContextLength(given: {
  readonly choice: Choice
  readonly configured: Choice
  readonly model: string
  readonly own: UserEndpoint | undefined
  readonly config: ModelsConfig
}): number | undefined {
  const { choice, configured, model, own, config } = given
  const ofOwn = countSetting(entryOf(own?.models, model), 'context_length') ?? own?.contextLength
  if (ofOwn !== undefined) return ofOwn
  // It is said of the configured model, and of no other that a person switches to.
  const isConfigured = configured.model === undefined || choice.model === configured.model
  return isConfigured ? (config.model.context_length ?? config.model.ollama_num_ctx) : undefined
}

function entryOf(models: unknown, model: string): unknown {
  if (typeof models !== 'object' || models === null || !Object.hasOwn(models, model)) return undefined
  return (models as Readonly<Record<string, unknown>>)[model]
}
