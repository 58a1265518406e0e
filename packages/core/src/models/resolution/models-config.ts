import type { Config } from '../../config/schema.ts'

/** The settings that decide which model answers. */
export type ModelsConfig = Pick<
  Config,
  | 'model'
  | 'providers'
  | 'custom_providers'
  | 'provider_routing'
  | 'model_aliases'
  | 'fallback_providers'
  | 'fallback_model'
  | 'smart_model_routing'
  | 'auxiliary'
  | 'delegation'
>

/** A text setting of a mapping that its schema leaves open; blank counts as not set. */
export function textSetting(mapping: unknown, ...names: readonly string[]): string | undefined {
  if (typeof mapping !== 'object' || mapping === null) return undefined
  for (const name of names) {
    const value = (mapping as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** A positive whole number of such a mapping. */
export function countSetting(mapping: unknown, name: string): number | undefined {
  if (typeof mapping !== 'object' || mapping === null) return undefined
  const value = Number((mapping as Readonly<Record<string, unknown>>)[name])
  return Number.isSafeInteger(value) && value > 0 ? value : undefined
}
