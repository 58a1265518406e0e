import { z } from 'zod'
import { editDistance } from '../text/nearest.ts'
import { formatKey } from './key-path.ts'
import { configSchema } from './schema.ts'
import { isTree, type Tree } from './tree.ts'

/** One setting, as people read it. */
export interface Setting {
  /** Dotted, e.g. `agent.max_turns`. */
  readonly key: string
  readonly path: readonly string[]
  readonly description: string
  /** e.g. `a whole number of at least 1`. */
  readonly accepts: string
  /** What kinds of values it takes; a setting of several kinds has several. */
  readonly kinds: readonly SettingKind[]
  /** Undefined where nothing is the default. */
  readonly fallback: unknown
}

export type SettingKind = 'text' | 'number' | 'switch' | 'list' | 'mapping'

/** All settings, and what is known about keys. Made from the schema, so it costs as much as loading that. */
export interface Catalogue {
  readonly settings: readonly Setting[]
  /** The setting that a path is, or is inside of (`providers.local.base_url` is inside `providers`). */
  settingAt(path: readonly string[]): Setting | undefined
  /** Whether a path is a section, which holds settings but is none. */
  isSection(path: readonly string[]): boolean
  /** Known keys that a misspelt one may have been meant to be, nearest first, at most three. */
  nearest(key: string): readonly string[]
}

export function createCatalogue(): Catalogue {
  const root = z.toJSONSchema(configSchema, { io: 'output', unrepresentable: 'any' }) as Tree
  const settings = [...settingsIn(root, [])]
  const byKey = new Map(settings.map((setting) => [setting.key, setting]))
  return {
    settings,
    settingAt(path) {
      for (let length = path.length; length > 0; length--) {
        const found = byKey.get(formatKey(path.slice(0, length)))
        if (found) return length === path.length || found.kinds.includes('mapping') ? found : undefined
      }
      return undefined
    },
    isSection: (path) =>
      settings.some((setting) => startsWith(setting.path, path) && setting.path.length > path.length),
    nearest: (key) => nearestKeys(key, settings),
  }
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((part, index) => path[index] === part)
}

function* settingsIn(node: Tree, path: readonly string[]): Generator<Setting> {
  const properties = isTree(node['properties']) ? node['properties'] : {}
  for (const [key, inner] of Object.entries(properties)) {
    if (!isTree(inner)) continue
    const here = [...path, key]
    if (isTree(inner['properties'])) yield* settingsIn(inner, here)
    else yield settingOf(inner, here)
  }
}

function settingOf(node: Tree, path: readonly string[]): Setting {
  const kinds = [...new Set(alternatives(node).map(kindOf))]
  return {
    key: formatKey(path),
    path,
    description: typeof node['description'] === 'string' ? node['description'] : '',
    accepts: acceptsOf(node),
    kinds,
    fallback: node['default'],
  }
}

function alternatives(node: Tree): readonly Tree[] {
  return Array.isArray(node['anyOf']) ? node['anyOf'].filter(isTree) : [node]
}

function kindOf(node: Tree): SettingKind {
  if (node['type'] === 'integer' || node['type'] === 'number') return 'number'
  if (node['type'] === 'boolean') return 'switch'
  if (node['type'] === 'array') return 'list'
  return node['type'] === 'object' ? 'mapping' : 'text'
}

function acceptsOf(node: Tree): string {
  if (Array.isArray(node['anyOf'])) return alternatives(node).map(acceptsOf).join(', or ')
  if (Array.isArray(node['enum'])) return `one of ${node['enum'].map((word) => word || '""').join(', ')}`
  if ('const' in node) return String(node['const'])
  const number = node['type'] === 'integer' ? 'a whole number' : 'a number'
  const words = {
    number: number + rangeOf(node),
    switch: 'true or false',
    list: 'a list',
    mapping: 'a mapping',
    text: 'text',
  }
  return words[kindOf(node)]
}

function rangeOf({ minimum, maximum }: Tree): string {
  const hasMinimum = typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER
  const hasMaximum = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER
  if (hasMinimum && hasMaximum) return ` from ${minimum} to ${maximum}`
  if (hasMinimum) return ` of at least ${minimum}`
  return hasMaximum ? ` of at most ${maximum}` : ''
}

/** By edits to the whole key or to its last part, which people know without its section. */
function nearestKeys(key: string, settings: readonly Setting[]): readonly string[] {
  const wanted = key.toLowerCase()
  const lastPart = wanted.slice(wanted.lastIndexOf('.') + 1)
  const scored = settings.map((setting) => {
    const last = setting.path.at(-1) ?? ''
    const byPart = editDistance(lastPart, last) + (wanted.includes('.') ? 2 : 1)
    return { key: setting.key, edits: Math.min(editDistance(wanted, setting.key), byPart) }
  })
  const most = Math.max(2, Math.floor(wanted.length / 4))
  const near = scored.filter(({ edits }) => edits <= most).sort((a, b) => a.edits - b.edits)
  return near.slice(0, 3).map((one) => one.key)
}
