// Moves settings from older places to their own. Each step looks for the older shape, whatever version the file says it
// has: files without a version are told to be current by upstream, and are not.
import type { ConfigEdit } from './edit.ts'
import { formatKey } from './key-path.ts'
import { takeLegacyKeys } from './legacy.ts'
import { shortForms } from './short-forms.ts'
import { getAt, isTree, type Tree } from './tree.ts'

/** The version of the file that upstream v0.9.0 writes. */
export const configVersion = 17

/** What a migration would do, or has done. */
export interface Migration {
  readonly edits: readonly ConfigEdit[]
  /** One line for each step, for people; no values. */
  readonly steps: readonly string[]
}

/** Plans the migration of a file's tree. Empty when there is nothing to do. */
export function planMigration(tree: Tree): Migration {
  const edits: ConfigEdit[] = []
  const steps: string[] = []
  const long = structuredClone(tree)
  for (const [key, expand] of Object.entries(shortForms)) if (key in long) long[key] = expand(long[key])

  for (const { path, oldPath, value } of takeLegacyKeys(structuredClone(long), () => undefined)) {
    if (!oldPath) continue
    const current = getAt(long, path)
    const isSet = current !== undefined && current !== null && current !== ''
    if (!isSet) edits.push({ path, value })
    edits.push({ path: oldPath, value: undefined })
    steps.push(
      `${formatKey(oldPath)} ${isSet ? 'is removed, since it has no effect beside' : 'moves to'} ${formatKey(path)}`,
    )
  }
  for (const path of emptied(long, edits)) edits.push({ path, value: undefined })

  const endpoints = getAt(tree, ['custom_providers'])
  if (Array.isArray(endpoints) && endpoints.length > 0) {
    const providers = asProviders(endpoints, isTree(tree['providers']) ? tree['providers'] : {})
    for (const [name, endpoint] of Object.entries(providers)) edits.push({ path: ['providers', name], value: endpoint })
    edits.push({ path: ['custom_providers'], value: undefined })
    steps.push(
      `custom_providers moves to ${Object.keys(providers)
        .map((name) => formatKey(['providers', name]))
        .join(', ')}`,
    )
  }
  const version = tree['_config_version']
  if (typeof version === 'number' ? version < configVersion : edits.length > 0) {
    edits.push({ path: ['_config_version'], value: configVersion })
    steps.push(`_config_version becomes ${configVersion}`)
  }
  return { edits, steps }
}

/** Older mappings of which everything has moved. */
function emptied(tree: Tree, edits: readonly ConfigEdit[]): readonly (readonly string[])[] {
  const gone = new Set(edits.flatMap(({ path, value }) => (value === undefined ? formatKey(path) : [])))
  return [['personalities'], ['display', 'tool_progress_overrides']].filter((path) => {
    const mapping = getAt(tree, path)
    const keys = isTree(mapping) ? Object.keys(mapping) : []
    return keys.length > 0 && keys.every((key) => gone.has(formatKey([...path, key])))
  })
}

/** The list of endpoints as upstream keys them: by name, else by host. Nothing of an entry is lost. */
function asProviders(endpoints: readonly unknown[], taken: Tree): Tree {
  const providers: Tree = {}
  for (const [index, entry] of endpoints.entries()) {
    if (!isTree(entry)) continue
    const { base_url, url, api, model, default_model, api_mode, transport, ...rest } = entry
    const address = [api, url, base_url].find((one) => typeof one === 'string' && one !== '')
    const wanted = kebab(entry['name']) || kebab(hostOf(address)) || `endpoint-${index + 1}`
    let key = wanted
    for (let number = 2; Object.hasOwn(providers, key) || Object.hasOwn(taken, key); number++)
      key = `${wanted}-${number}`
    const known = { api: address, default_model: default_model ?? model, transport: transport ?? api_mode }
    const given = Object.entries(known).filter(([, value]) => value !== undefined)
    providers[key] = { ...rest, ...Object.fromEntries(given) }
  }
  return providers
}

function kebab(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

function hostOf(address: unknown): string {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).hostname : ''
}
