import { bindings } from './bindings.ts'
import type { Catalogue, Setting } from './catalogue.ts'
import { ConfigError } from './config-error.ts'
import { editConfig, type EditConfigOptions, refuseWhenManaged } from './edit.ts'
import { loadEnvironment, saveVariable } from './environment.ts'
import { formatKey, parseKey } from './key-path.ts'
import { getAt } from './tree.ts'
import { knownVariables } from './variables.ts'
import { parseYamlFile } from './yaml-file.ts'

/** Where a value went. */
export interface SetResult {
  readonly file: 'config.yaml' | '.env'
  /** The setting's key, or the variable's name. */
  readonly key: string
  readonly value: unknown
  /** A variable of `.env` that sets the same and was changed along. */
  readonly alsoVariable: string | undefined
}

export interface SetOptions extends EditConfigOptions {
  readonly catalogue: Catalogue
  /** Set a key that Hermes does not know. */
  readonly force?: boolean
}

/**
 * Sets one setting as a person writes it on a command line. Keys, tokens and other variables go to `.env`, everything
 * else to `config.yaml`. Throws `ConfigError`: `unknown-key` with the nearest keys, `invalid`, `managed` …
 */
export async function setSetting(options: SetOptions, name: string, text: string): Promise<SetResult> {
  const variable = variableFor(name)
  if (variable !== undefined) {
    refuseWhenManaged(options.home, options.environment)
    await saveVariable(options, variable, text)
    return { file: '.env', key: variable, value: text, alsoVariable: undefined }
  }
  const path = parseKey(name)
  if (!path) throw new ConfigError('unknown-key', `"${name}" is no key: write section.setting, e.g. agent.max_turns.`)
  const setting = options.catalogue.settingAt(path)
  const value = valueOf(text, setting?.path.length === path.length ? setting : undefined)
  await editConfig(options, (tree) => {
    if (!setting && !options.force && getAt(tree, path) === undefined) throw unknownKey(name, path, options.catalogue)
    return [{ path, value }]
  })
  return {
    file: 'config.yaml',
    key: formatKey(path),
    value,
    alsoVariable: await setTwin(options, formatKey(path), text),
  }
}

/** The error for a key that is no setting: what may have been meant, or that it is a section. */
export function unknownKey(name: string, path: readonly string[], catalogue: Catalogue): ConfigError {
  if (path.length > 0 && catalogue.isSection(path)) {
    return new ConfigError(
      'unknown-key',
      `${name} is a section; "hermes config list ${name}" shows the settings in it.`,
    )
  }
  const near = catalogue.nearest(name)
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '"hermes config list" shows all.'
  return new ConfigError('unknown-key', `${name} is no setting that Hermes knows. ${hint}`)
}

const variableNames = new Set([
  'VOICE_TOOLS_OPENAI_KEY',
  'FIRECRAWL_API_URL',
  'FIRECRAWL_GATEWAY_URL',
  'TOOL_GATEWAY_DOMAIN',
  'TOOL_GATEWAY_SCHEME',
  'BROWSERBASE_PROJECT_ID',
  'FAL_KEY',
  'SUDO_PASSWORD',
])

/** What every chat platform has, also one that a plugin brings. */
const platformVariable = /^[A-Z0-9_]+_(?:(?:ALLOWED|ALLOW_ALL)_USERS|HOME_CHANNEL(?:_NAME|_THREAD)?)$/

/** The variable of `.env` that a name means, or undefined where it means a key of `config.yaml`. */
export function variableFor(name: string): string | undefined {
  const upper = name.toUpperCase()
  if (!/^[A-Z_][A-Z0-9_]*$/.test(upper)) return undefined
  const isSecret = upper.endsWith('_API_KEY') || upper.endsWith('_TOKEN') || upper.startsWith('TERMINAL_SSH')
  if (isSecret || variableNames.has(upper)) return upper
  if (platformVariable.test(name)) return name
  return knownVariables().some((known) => known.name === name) ? name : undefined
}

/** The value that a text means for a setting; for any other key, what it looks like. */
function valueOf(text: string, setting: Setting | undefined): unknown {
  const kinds = setting?.kinds ?? ['text', 'number', 'switch', 'list', 'mapping']
  if (kinds.length === 1 && kinds[0] === 'text') return text
  if ((kinds.includes('list') || kinds.includes('mapping')) && /^\s*[[{]/.test(text)) return flowValue(text)
  if (kinds.length === 1 && kinds[0] === 'list') return text.split(',').flatMap((item) => item.trim() || [])
  const word = text.toLowerCase()
  if (kinds.includes('switch') && ['true', 'yes', 'on'].includes(word)) return true
  if (kinds.includes('switch') && ['false', 'no', 'off'].includes(word)) return false
  if (kinds.includes('number') && /^-?\d+(\.\d+)?$/.test(text) && Number.isSafeInteger(Math.trunc(Number(text))))
    return Number(text)
  return text
}

/** A list or mapping in YAML's one-line form, of which JSON is a part. */
function flowValue(text: string): unknown {
  return parseYamlFile(`value: ${text}`, 'The value').tree['value']
}

/** A variable of `.env` goes before `config.yaml`: one that is there is changed along, or the new value had no effect. */
async function setTwin(options: SetOptions, key: string, text: string): Promise<string | undefined> {
  const twin = bindings.find((binding) => formatKey(binding.path) === key)?.variable
  if (twin === undefined || !loadEnvironment(options.home, {}).fromFile.has(twin)) return undefined
  await saveVariable(options, twin, text)
  return twin
}
