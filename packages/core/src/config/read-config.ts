import type { z } from 'zod'
import { createCatalogue } from './catalogue.ts'
import { type ConfigIssue, invalidConfig } from './config-error.ts'
import { expandReferences, hasReferences, referencesIn } from './expand.ts'
import { formatKey } from './key-path.ts'
import { gatewayJsonValues, type LegacyValue, takeLegacyKeys } from './legacy.ts'
import { configSchema } from './schema.ts'
import { shortForms } from './short-forms.ts'
import type { ConfigWarning, SettingSource } from './sources.ts'
import { getAt, isTree, leavesOf, mergeTrees, setAt, type Tree } from './tree.ts'
import { parseYamlFile } from './yaml-file.ts'

/** Unknown keys for which a known one is proposed. To look for it takes a while; so many are no slip of the pen. */
const maxSuggestions = 20

type Environment = Readonly<Record<string, string | undefined>>

/** The configuration files as text; undefined where there is none. */
export interface ConfigTexts {
  readonly config: string | undefined
  readonly gateway: string | undefined
}

/** What the files come to, before the environment is laid over it. Survives JSON. */
export interface FileConfig {
  /** Every setting. Texts still have their `${NAME}`, unless `isExpanded`. */
  readonly config: Tree
  /** Strongest first for each key. */
  readonly sources: readonly (readonly [key: string, sources: readonly SettingSource[]])[]
  readonly warnings: readonly ConfigWarning[]
  /** Where a value names variables. */
  readonly references: readonly (readonly string[])[]
  /** The variables' values are in it already, so it holds for this environment alone. */
  readonly isExpanded: boolean
}

/** Reads and checks the configuration files. Throws `ConfigError`: `syntax`, or `invalid` with every wrong setting. */
export function readConfigTexts(texts: ConfigTexts, environment: Environment): FileConfig {
  const file = parseYamlFile(texts.config ?? '', 'config.yaml')
  const tree = withoutNothing(longForms(file.tree))
  const legacy = [...takeLegacyKeys(tree, file.lineOf)]
  const gateway = gatewayJsonValues(texts.gateway ?? '{}')
  legacy.push(...gateway.values)

  const merged = mergeTrees(treeOf(legacy), tree)
  const whereIs = (path: readonly string[]) => whereTold(path, tree, file.lineOf, legacy)
  const { config, isExpanded } = checked(merged, environment, whereIs)
  const warnings: ConfigWarning[] = [
    ...file.duplicates.map(duplicateWarning),
    ...legacy.flatMap(legacyWarning),
    ...gateway.warnings,
    ...unknownKeys(tree, whereIs),
  ]
  return {
    config,
    sources: collectSources(tree, legacy, config, file.lineOf),
    warnings,
    references: referencesIn(config),
    isExpanded,
  }
}

/** Sections written as one value become mappings. */
function longForms(tree: Tree): Tree {
  const long = structuredClone(tree)
  for (const [key, expand] of Object.entries(shortForms)) if (key in long) long[key] = expand(long[key])
  return long
}

/** `key:` with its value commented out is the same as no such key. */
function withoutNothing(tree: Tree): Tree {
  const kept = Object.entries(tree).flatMap(([key, value]) => {
    if (value === null || key === '__proto__') return []
    return [[key, isTree(value) ? withoutNothing(value) : value] as const]
  })
  return Object.fromEntries(kept)
}

/** The first value for a path counts: of two older places, the one nearer to `config.yaml`. */
function treeOf(legacy: readonly LegacyValue[]): Tree {
  const tree: Tree = {}
  for (const { path, value } of legacy.toReversed()) setAt(tree, path, value)
  return tree
}

/**
 * Checks the settings. Where they pass with the variables unexpanded they are left so; a number given as `${PORT}` only
 * passes once the variable's value is in it.
 */
function checked(
  tree: Tree,
  environment: Environment,
  whereIs: (path: readonly string[]) => string,
): { config: Tree; isExpanded: boolean } {
  const result = configSchema.safeParse(tree)
  if (result.success) return { config: result.data, isExpanded: false }
  const expanded = hasReferences(tree) ? configSchema.safeParse(expandReferences(tree, environment, () => {})) : result
  if (expanded.success) return { config: expanded.data, isExpanded: true }
  throw invalidConfig(issuesOf(expanded.error, tree, whereIs))
}

function issuesOf(error: z.ZodError, tree: Tree, whereIs: (path: readonly string[]) => string): readonly ConfigIssue[] {
  const catalogue = createCatalogue()
  return error.issues.map((issue) => {
    const path = issue.path.map(String)
    const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], tree)
    const setting = catalogue.settingAt(path)
    const isExact = setting?.path.length === path.length
    const detail = issue.code === 'custom' ? ` (${issue.message})` : ''
    const accepts = isExact
      ? `${setting.accepts} is`
      : catalogue.isSection(path)
        ? 'a section of settings is'
        : lowered(issue.message)
    return {
      key: formatKey(path),
      where: whereIs(path),
      message: `${shown(path, value)} is not accepted; ${accepts}${detail}.`,
    }
  })
}

function lowered(message: string): string {
  return message.replace(/^Invalid input: /, '').replace(/^./, (letter) => letter.toLowerCase())
}

/** A wrong value as the message shows it, short; never one that may be a secret. */
function shown(path: readonly string[], value: unknown): string {
  if (/key|token|secret|password/i.test(path.at(-1) ?? '')) return 'the value'
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function whereTold(
  path: readonly string[],
  tree: Tree,
  lineOf: (path: readonly string[]) => number | undefined,
  legacy: readonly LegacyValue[],
): string {
  if (getAt(tree, path) === undefined) {
    const old = legacy.find((value) => value.path.every((part, index) => path[index] === part))
    if (old) return old.from
  }
  for (let length = path.length; length > 0; length--) {
    const line = lineOf(path.slice(0, length))
    if (line !== undefined) return `config.yaml line ${line}`
  }
  return 'config.yaml'
}

function collectSources(
  tree: Tree,
  legacy: readonly LegacyValue[],
  config: Tree,
  lineOf: (path: readonly string[]) => number | undefined,
): FileConfig['sources'] {
  const sources = new Map<string, SettingSource[]>()
  const add = (path: readonly string[], source: SettingSource) => {
    const key = formatKey(path)
    sources.set(key, [...(sources.get(key) ?? []), source])
  }
  for (const [path, value] of leavesOf(tree)) {
    const line = lineOf(path) ?? lineOf(path.slice(0, 1))
    add(path, { kind: 'config', from: `config.yaml line ${line}`, value: getAt(config, path) ?? value })
  }
  for (const { path, kind, from, value } of legacy) add(path, { kind, from, value })
  return [...sources]
}

function duplicateWarning({ key, lines }: { key: string; lines: readonly number[] }): ConfigWarning {
  const message = `${key} stands more than once in config.yaml (lines ${lines.join(', ')}); the last one counts.`
  return { code: 'duplicate-key', key, message }
}

function legacyWarning({ path, oldPath, from }: LegacyValue): readonly ConfigWarning[] {
  if (!oldPath) return []
  const key = formatKey(path)
  return [
    { code: 'legacy-key', key, message: `${from} is the older place of ${key}. "hermes config migrate" moves it.` },
  ]
}

function unknownKeys(tree: Tree, whereIs: (path: readonly string[]) => string): readonly ConfigWarning[] {
  const defaults = configSchema.parse({})
  const doubtful = [...leavesOf(tree)]
    .map(([path]) => path)
    .filter((path) => !isInDefaults(path, defaults) && !isVariable(path))
  if (doubtful.length === 0) return []
  const catalogue = createCatalogue()
  const unknown = new Map<string, readonly string[]>()
  for (const path of doubtful) {
    if (catalogue.settingAt(path) || catalogue.isSection(path)) continue
    // The whole of an unknown section is told once.
    const known = path.findIndex((_, index) => !catalogue.isSection(path.slice(0, index + 1)))
    const start = path.slice(0, known + 1)
    unknown.set(formatKey(start), start)
  }
  return [...unknown].map(([key, path], index) => {
    const [near] = index < maxSuggestions ? catalogue.nearest(key) : []
    const hint = near === undefined ? 'It is kept.' : `Was ${near} meant? It is kept.`
    return { code: 'unknown-key', key, message: `${key} (${whereIs(path)}) is no setting that Hermes knows. ${hint}` }
  })
}

/** Most keys are known by having a default; the catalogue, which costs more, is for the others. */
function isInDefaults(path: readonly string[], defaults: Tree): boolean {
  return getAt(defaults, path) !== undefined
}

/** Upstream keeps variables such as `TELEGRAM_HOME_CHANNEL` at the root of the file. */
function isVariable(path: readonly string[]): boolean {
  return path.length === 1 && /^[A-Z][A-Z0-9_]*$/.test(path[0] ?? '')
}
