import type { Environment } from '../agent/context.ts'
import { editConfig, refuseWhenManaged } from '../config/edit.ts'
import { saveVariable } from '../config/environment.ts'
import type { Home } from '../config/home.ts'
import type { MemoryProviderKind } from './memory-provider.ts'

export interface SaveOptions {
  readonly home: Home
  readonly environment: Environment
  readonly signal?: AbortSignal
}

/**
 * Keeps what a person answered of a provider's fields, by key: variables in `.env`, the rest in the provider's own file or
 * its part of `config.yaml`. Throws `ConfigError`.
 */
export async function saveProviderAnswers(
  kind: Pick<MemoryProviderKind, 'name' | 'fields' | 'configPath' | 'saveSettings'>,
  answers: ReadonlyMap<string, string>,
  options: SaveOptions,
): Promise<void> {
  refuseWhenManaged(options.home, options.environment)
  const own: Record<string, string> = {}
  for (const { key, variable } of kind.fields) {
    const value = answers.get(key)
    if (value === undefined) continue
    if (variable === undefined) own[key] = value
    else await saveVariable(options, variable, value)
  }
  if (Object.keys(own).length === 0) return
  if (kind.saveSettings) {
    await kind.saveSettings(own, options.home)
    return
  }
  const path = kind.configPath ?? [kind.name]
  await editConfig(options, () => Object.entries(own).map(([key, value]) => ({ path: [...path, key], value })))
}

/** Sets `memory.provider`; empty: none. Resolves to whether that is a change. Throws `ConfigError`. */
export function setMemoryProvider(name: string, options: SaveOptions): Promise<boolean> {
  return editConfig(options, () => [{ path: ['memory', 'provider'], value: name }])
}
