import { ConfigError, invalidConfig } from './config-error.ts'
import { type Home, managedBy } from './home.ts'
import { formatKey } from './key-path.ts'
import { readIfThere } from './read-if-there.ts'
import { shortForms } from './short-forms.ts'
import { getAt, isTree, type Tree } from './tree.ts'

/** A change of one key of `config.yaml`: `value` undefined takes it out. */
export interface ConfigEdit {
  readonly path: readonly string[]
  readonly value: unknown
}

export interface EditConfigOptions {
  readonly home: Home
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

/**
 * Changes keys of `config.yaml` and leaves everything else in it: comments, order, keys nobody knows, `${NAME}`. The
 * changes are made from the file's tree as it is under the lock, checked, and written in one step (0600).
 * `beforeWrite` runs just before, e.g. to keep a backup. Resolves to whether the file was changed. Throws
 * `ConfigError`; then it was not.
 *
 * @example await editConfig(options, (tree) => [{ path: ['agent', 'max_turns'], value: 60 }])
 */
export async function editConfig(
  { home, environment, signal }: EditConfigOptions,
  change: (tree: Tree) => readonly ConfigEdit[],
  beforeWrite: () => Promise<void> = async () => {},
): Promise<boolean> {
  refuseWhenManaged(home, environment)
  const { withFileLock } = await import('../storage/file-lock.ts')
  const { writePrivateFile } = await import('./private-file.ts')
  const { parseYamlFile } = await import('./yaml-file.ts')
  const path = home.path('config.yaml')
  const run = async () => {
    const text = readIfThere(path)?.toString('utf8') ?? ''
    const edits = change(parseYamlFile(text, 'config.yaml').tree)
    const edited = await applyEdits(text, edits)
    if (edited === text) return false
    await refuseWrongValues(edited, edits, environment)
    await beforeWrite()
    await writePrivateFile(path, edited)
    return true
  }
  return withFileLock(path, run, signal ? { signal } : {})
}

/** Throws `ConfigError` with code `managed` where something else writes this installation's files. */
export function refuseWhenManaged(home: Home, environment: EditConfigOptions['environment']): void {
  const manager = managedBy(home, environment)
  if (manager === undefined) return
  throw new ConfigError('managed', `${manager} manages this installation's settings; change them there.`)
}

/** The text with the edits made in it. */
export async function applyEdits(text: string, edits: readonly ConfigEdit[]): Promise<string> {
  const { removeFromYaml, setInYaml } = await import('./yaml-edit.ts')
  const { parseYamlFile } = await import('./yaml-file.ts')
  let edited = text
  for (const { path, value } of edits) {
    if (value === undefined) {
      edited = removeFromYaml(edited, path)
      continue
    }
    const { tree, lineOf } = parseYamlFile(edited, 'config.yaml')
    const [section = ''] = path
    const short = path.length > 1 && Object.hasOwn(shortForms, section) ? tree[section] : undefined
    if (short !== undefined && !isTree(short)) edited = setInYaml(edited, [section], shortForms[section]?.(short))
    else refuseBlocked(path, tree, lineOf)
    edited = setInYaml(edited, path, value)
  }
  return edited
}

/** A key inside a text or a list would take that away. */
function refuseBlocked(
  path: readonly string[],
  tree: Tree,
  lineOf: (path: readonly string[]) => number | undefined,
): void {
  for (let length = 1; length < path.length; length++) {
    const start = path.slice(0, length)
    const value = getAt(tree, start)
    if (value === undefined || value === null || isTree(value)) continue
    const kind = Array.isArray(value) ? 'a list; set it as a whole' : 'no section'
    throw new ConfigError('edit-by-hand', `${formatKey(start)} (config.yaml line ${lineOf(start)}) is ${kind}.`)
  }
}

/** Refuses values that the settings do not accept; what was wrong elsewhere in the file before does not matter. */
async function refuseWrongValues(
  text: string,
  edits: readonly ConfigEdit[],
  environment: EditConfigOptions['environment'],
): Promise<void> {
  const { readConfigTexts } = await import('./read-config.ts')
  try {
    readConfigTexts({ config: text, gateway: undefined }, environment)
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code !== 'invalid') throw error
    const keys = edits.map(({ path }) => formatKey(path))
    const issues = error.issues.filter(({ key }) =>
      keys.some((edited) => edited === key || key.startsWith(`${edited}.`) || edited.startsWith(`${key}.`)),
    )
    if (issues.length > 0) throw invalidConfig(issues.map((issue) => ({ ...issue, where: 'new value' })))
  }
}
