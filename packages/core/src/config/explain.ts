import type { Catalogue } from './catalogue.ts'
import { bindings } from './bindings.ts'
import { formatKey } from './key-path.ts'
import type { LoadedConfig } from './load.ts'
import type { SettingSource } from './sources.ts'
import { getAt } from './tree.ts'

/** Where a setting's value comes from. */
export interface Explanation {
  readonly key: string
  readonly value: unknown
  readonly description: string
  readonly accepts: string
  readonly winner: SettingSource
  /** Strongest first. */
  readonly losers: readonly (SettingSource & { readonly reason: string })[]
  /** The environment variable that would set it, if there is one. */
  readonly variable: string | undefined
}

const rank = {
  'env-file': 'the .env file of the home',
  environment: 'the environment',
  config: 'config.yaml',
  legacy: 'an older place',
  default: 'the default',
} as const

/** Explains one setting, or what is inside one. The path must be known or set; else undefined. */
export function explainSetting(
  path: readonly string[],
  loaded: LoadedConfig,
  catalogue: Catalogue,
): Explanation | undefined {
  const setting = catalogue.settingAt(path)
  const key = formatKey(path)
  const value = getAt(loaded.config, path)
  if (!setting && value === undefined) return undefined
  const given = loaded.sources.get(key) ?? []
  const isExact = setting?.path.length === path.length
  const fallback = isExact ? setting.fallback : undefined
  const all: readonly SettingSource[] = [...given, { kind: 'default', from: 'the default', value: fallback }]
  const [winner, ...losers] =
    given.length === 0 && value !== undefined ? [withParts(value, key, loaded, all), ...all.slice(1)] : all
  if (!winner) return undefined
  return {
    key,
    value,
    description: setting?.description ?? 'Not a setting that Hermes knows.',
    accepts: setting?.accepts ?? 'anything',
    winner,
    losers: losers.map((loser) => ({ ...loser, reason: `${rank[winner.kind]} goes before ${rank[loser.kind]}` })),
    variable: bindings.find((binding) => formatKey(binding.path) === key)?.variable,
  }
}

/** A mapping's value comes from wherever its parts do. */
function withParts(
  value: unknown,
  key: string,
  { sources }: LoadedConfig,
  [fallback]: readonly SettingSource[],
): SettingSource {
  const parts = [...sources].filter(([part]) => part.startsWith(`${key}.`)).flatMap(([, [first]]) => first ?? [])
  const [first] = parts
  if (first) return { kind: first.kind, from: [...new Set(parts.map((part) => part.from))].join(', '), value }
  return fallback ?? { kind: 'default', from: 'the default', value }
}
