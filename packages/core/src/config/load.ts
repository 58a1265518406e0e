import { type FilesState, filesState, readConfigCache, readLastConfig, writeConfigCache } from './config-cache.ts'
import type { EnvironmentFileEntry } from './environment.ts'
import { environmentValues } from './environment-layer.ts'
import { expandReferences } from './expand.ts'
import type { Home } from './home.ts'
import { formatKey } from './key-path.ts'
import type { FileConfig } from './read-config.ts'
import { readIfThere } from './read-if-there.ts'
import type { Config } from './schema.ts'
import type { ConfigWarning, SettingSource, Sources } from './sources.ts'
import { deepFreeze, getAt, setAt } from './tree.ts'

export interface LoadConfigOptions {
  readonly home: Home
  /** With the home's `.env` over it, as `loadEnvironment` gives it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Which variables come from `.env`, so that they can be told apart. */
  readonly fromFile?: ReadonlyMap<string, EnvironmentFileEntry>
}

export interface LoadedConfig {
  readonly config: Config
  readonly sources: Sources
  readonly warnings: readonly ConfigWarning[]
}

/**
 * The effective configuration: `.env` over the process's environment over `config.yaml` over older places over
 * defaults. Throws `ConfigError`: `syntax` or `invalid`, with where and what is accepted.
 *
 * While the files stay as they are, they are neither parsed nor checked again, and the parser and the schema are not
 * even loaded.
 */
export async function loadConfig({
  home,
  environment,
  fromFile = new Map(),
}: LoadConfigOptions): Promise<LoadedConfig> {
  const state = configFilesState(home)
  const file = readConfigCache(home, state) ?? (await readFiles(home, environment, state))
  return layered(file, environment, fromFile)
}

/**
 * The same by the files as they were when they were read last without a fault, with the environment as it is now. Undefined
 * where that is not known. Throws `ConfigError` for variables.
 */
export function loadLastConfig({
  home,
  environment,
  fromFile = new Map(),
}: LoadConfigOptions): LoadedConfig | undefined {
  const file = readLastConfig(home)
  return file && layered(file, environment, fromFile)
}

function configFilesState(home: Home): FilesState {
  return filesState([home.path('config.yaml'), home.path('gateway.json')])
}

async function readFiles(
  home: Home,
  environment: LoadConfigOptions['environment'],
  before: FilesState,
): Promise<FileConfig> {
  const { readConfigTexts } = await import('./read-config.ts')
  const texts = { config: textOf(home, 'config.yaml'), gateway: textOf(home, 'gateway.json') }
  const file = readConfigTexts(texts, environment)
  // A file that was written while it was read belongs to neither state.
  if (configFilesState(home).key === before.key) writeConfigCache(home, before, file)
  // As it will come out of the cache the next time.
  return JSON.parse(JSON.stringify(file)) as FileConfig
}

/** Lays the environment over the files' configuration. */
function layered(
  file: FileConfig,
  environment: LoadConfigOptions['environment'],
  fromFile: ReadonlyMap<string, EnvironmentFileEntry>,
): LoadedConfig {
  const warnings = [...file.warnings]
  const unset = new Set<string>()
  const { config } = file
  const sources = new Map<string, readonly SettingSource[]>(file.sources)
  for (const path of file.references) {
    const expand = (value: unknown) => expandReferences(value, environment, (name) => unset.add(name))
    setAt(config, path, expand(getAt(config, path)))
    const key = formatKey(path)
    const given = sources.get(key) ?? []
    sources.set(
      key,
      given.map((source) => ({ ...source, value: expand(source.value) })),
    )
  }
  for (const { path, key, sources: stronger } of environmentValues(environment, fromFile)) {
    setAt(config, path, stronger[0]?.value)
    sources.set(key, [...stronger, ...(sources.get(key) ?? [])])
  }
  for (const name of unset) {
    const message = `config.yaml names \${${name}}, which is not set; the text is used as it stands.`
    warnings.push({ code: 'unset-variable', key: '', message })
  }
  warnings.push(...shadowed(sources))
  // The files passed the schema, and each variable accepts only what its setting does.
  return { config: deepFreeze(config) as unknown as Config, sources, warnings }
}

/** Settings where a weaker source says something else than the one that won. */
function* shadowed(sources: Sources): Generator<ConfigWarning> {
  for (const [key, [winner, ...losers]] of sources) {
    // Values come from files and variables, so JSON tells them apart (node:util would cost more than all the rest).
    const others = losers.filter((loser) => JSON.stringify(loser.value) !== JSON.stringify(winner?.value))
    if (!winner || others.length === 0) continue
    const places = others.map((other) => other.from).join(' and ')
    yield {
      code: 'shadowed',
      key,
      message: `${key}: ${winner.from} counts; ${places} has another value, without effect.`,
    }
  }
}

function textOf(home: Home, name: string): string | undefined {
  return readIfThere(home.path(name))?.toString('utf8')
}
