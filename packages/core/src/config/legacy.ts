// Older places of settings: root-level keys, keys that moved, and `gateway.json`. They count where `config.yaml` does
// not set the setting in its own place.
import type { ConfigWarning, SettingSource } from './sources.ts'
import { formatKey } from './key-path.ts'
import { getAt, isTree, leavesOf, removeAt, type Tree } from './tree.ts'

/** A value found in an older place. */
export interface LegacyValue extends SettingSource {
  readonly kind: 'legacy'
  readonly path: readonly string[]
  /** The older place within `config.yaml`; absent for other files. */
  readonly oldPath?: readonly string[]
}

interface Move {
  readonly from: readonly string[]
  readonly to: readonly string[]
}

const moves: readonly Move[] = Object.entries({
  max_turns: 'agent.max_turns',
  provider: 'model.provider',
  base_url: 'model.base_url',
  api_key: 'model.api_key',
  api_mode: 'model.api_mode',
  prefill_messages_file: 'agent.prefill_messages_file',
  'model.model': 'model.default',
  'terminal.env_type': 'terminal.backend',
  'compression.summary_model': 'auxiliary.compression.model',
  'compression.summary_provider': 'auxiliary.compression.provider',
  'compression.summary_base_url': 'auxiliary.compression.base_url',
}).map(([from, to]) => ({ from: from.split('.'), to: to.split('.') }))

/** Takes the values in older places out of a tree of `config.yaml`; the tree is changed. */
export function takeLegacyKeys(
  tree: Tree,
  lineOf: (path: readonly string[]) => number | undefined,
): readonly LegacyValue[] {
  const found: LegacyValue[] = []
  for (const { from, to } of [...moves, ...sttMove(tree), ...personalityMoves(tree), ...progressMoves(tree)]) {
    const value = getAt(tree, from)
    if (value === undefined || value === null || value === '' || !isMovable(from, value)) continue
    removeAt(tree, from)
    found.push({
      kind: 'legacy',
      from: `${formatKey(from)} (config.yaml line ${lineOf(from)})`,
      value,
      path: to,
      oldPath: from,
    })
  }
  return found
}

/** `api_key` and the like are settings only as texts; anything else under the name belongs to somebody else. */
function isMovable(from: readonly string[], value: unknown): boolean {
  return from[0] === 'personalities' || from[0] === 'display' || typeof value !== 'object'
}

/** A flat `stt.model` is the model of the provider in use. */
function sttMove(tree: Tree): readonly Move[] {
  const provider = getAt(tree, ['stt', 'provider']) ?? 'local'
  return typeof provider === 'string' ? [{ from: ['stt', 'model'], to: ['stt', provider, 'model'] }] : []
}

function personalityMoves(tree: Tree): readonly Move[] {
  const names = Object.keys(isTree(tree['personalities']) ? tree['personalities'] : {})
  return names.map((name) => ({ from: ['personalities', name], to: ['agent', 'personalities', name] }))
}

function progressMoves(tree: Tree): readonly Move[] {
  const overrides = getAt(tree, ['display', 'tool_progress_overrides'])
  const names = Object.keys(isTree(overrides) ? overrides : {})
  return names.map((name) => ({
    from: ['display', 'tool_progress_overrides', name],
    to: ['display', 'platforms', name, 'tool_progress'],
  }))
}

const gatewayRenames: Readonly<Record<string, readonly string[]>> = {
  default_reset_policy: ['session_reset'],
  stt_enabled: ['stt', 'enabled'],
}

const gatewayKeys = new Set([
  'platforms',
  'streaming',
  'session_reset',
  'reset_by_type',
  'reset_by_platform',
  'reset_triggers',
  'quick_commands',
  'always_log_local',
  'group_sessions_per_user',
  'thread_sessions_per_user',
  'unauthorized_dm_behavior',
  ...Object.keys(gatewayRenames),
])

/** The settings in the text of a `gateway.json`. What is no JSON object is told and left out. */
export function gatewayJsonValues(text: string): {
  values: readonly LegacyValue[]
  warnings: readonly ConfigWarning[]
} {
  const tree = parseJson(text)
  if (!isTree(tree)) {
    const message = 'gateway.json is no JSON object; it is ignored. Remove it, or repair it.'
    return { values: [], warnings: [{ code: 'legacy-file', key: '', message }] }
  }
  const values = Object.entries(tree).flatMap(([key, value]) => {
    if (!gatewayKeys.has(key) || value === null) return []
    const to = gatewayRenames[key] ?? [key]
    const leaves: Iterable<[readonly string[], unknown]> = isTree(value) ? leavesOf(value) : [[[], value]]
    return [...leaves].map(([path, leaf]): LegacyValue => {
      return { kind: 'legacy', from: `gateway.json ${formatKey([key, ...path])}`, value: leaf, path: [...to, ...path] }
    })
  })
  return { values, warnings: [] }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
