// The checked configuration files as JSON in `cache/config.json`, so that neither the YAML parser nor the schema is
// loaded while the files stay as they are. It can always be made again: whatever is wrong with it, it is passed over.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync, existsSync, mkdirSync } from 'node:fs'
import type { Home } from './home.ts'
import type { FileConfig } from './read-config.ts'
import { schemaFingerprint } from './schema-fingerprint.ts'

/** The state of the configuration files that a cached configuration belongs to. */
export interface FilesState {
  readonly key: string
  /** Newest change, ms since the epoch. */
  readonly modifiedMs: number
}

/**
 * Files changed within this time of the cache's own writing may have changed again under the same time stamp: the
 * coarsest file systems count in 2 s.
 */
const unsureMs = 2000

/** Reads what tells one state of the files from another: times, size and inode. */
export function filesState(paths: readonly string[]): FilesState {
  let modifiedMs = 0
  const parts = paths.map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (!stat) return '-'
    modifiedMs = Math.max(modifiedMs, Number(stat.mtimeMs))
    return [stat.mtimeNs, stat.ctimeNs, stat.size, stat.ino].join(':')
  })
  return { key: `${schemaFingerprint} ${parts.join(' ')}`, modifiedMs }
}

/** The cached configuration of this state, or undefined. */
export function readConfigCache(home: Home, state: FilesState): FileConfig | undefined {
  const path = home.path('cache', 'config.json')
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat || stat.mtimeMs < state.modifiedMs + unsureMs) return undefined
    const cached: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isCached(cached) && cached.key === state.key ? cached.file : undefined
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** The configuration that was read last without a fault, by this version; whatever the files say now. */
export function readLastConfig(home: Home): FileConfig | undefined {
  try {
    const cached: unknown = JSON.parse(readFileSync(home.path('cache', 'config.json'), 'utf8'))
    return isCached(cached) && cached.key.startsWith(`${schemaFingerprint} `) ? cached.file : undefined
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

function isCached(value: unknown): value is { key: string; file: FileConfig } {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('file' in value)) return false
  const { file } = value
  return typeof file === 'object' && file !== null && 'config' in file && 'sources' in file && 'warnings' in file
}

/** Keeps a configuration for the next start, where the home is there and can be written. */
export function writeConfigCache(home: Home, state: FilesState, file: FileConfig): void {
  // Values of variables do not belong on the disk.
  if (file.isExpanded || !existsSync(home.dir)) return
  const path = home.path('cache', 'config.json')
  const fresh = `${path}.${process.pid}.tmp`
  try {
    if (!existsSync(home.path('cache'))) mkdirSync(home.path('cache'), { mode: 0o700 })
    // Not synced to the disk: what a crash leaves half-written is no JSON, and is passed over.
    writeFileSync(fresh, JSON.stringify({ key: state.key, file }), { mode: 0o600 })
    renameSync(fresh, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    // A home that cannot be written is no reason to fail: the files are simply read each time.
    if (existsSync(fresh)) rmSync(fresh, { force: true })
  }
}
