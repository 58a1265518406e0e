import type { Environment } from '../../agent/context.ts'
import { providerName } from './choice.ts'
import type { Choice } from './choice.ts'
import { textSetting } from './models-config.ts'
import type { ModelsConfig } from './models-config.ts'

/** What an entry such as `{provider, model, base_url, key_env}` asks for; undefined when it names no model of a provider. */
export function choiceOf(entry: unknown, environment: Environment): Choice | undefined {
  const baseUrl = textSetting(entry, 'base_url')
  const provider = textSetting(entry, 'provider') ?? (baseUrl === undefined ? undefined : 'custom')
  const model = textSetting(entry, 'model')
  if (provider === undefined || model === undefined) return undefined
  const variable = textSetting(entry, 'key_env', 'api_key_env')
  const named = variable === undefined ? undefined : environment[variable]?.trim()
  return {
    provider: providerName(provider),
    model,
    baseUrl,
    apiKey: textSetting(entry, 'api_key') ?? (named || undefined),
    apiMode: textSetting(entry, 'api_mode'),
  }
}

/** What is tried in order when a model fails for good. */
export function fallbackChoices(config: ModelsConfig, environment: Environment): readonly Choice[] {
  const { fallback_providers: several, fallback_model: one } = config
  const entries: readonly unknown[] = several.length > 0 ? several : one ? [one] : []
  return entries.flatMap((entry) => choiceOf(entry, environment) ?? [])
}
