import { existsSync, statSync } from 'node:fs'

/** Notes a path before it is read, or before it is found not to be there. */
export type WatchPath = (path: string) => void

/** What was made of files, kept until one of them changes, comes or goes. */
export interface FileMemo {
  /**
   * What `make` makes, or has made before under this key of the same files. It names every path that it looks at. What
   * begins in one round of the event loop shares a look. What is known is told at once.
   */
  of<T>(key: string, make: (watch: WatchPath) => Promise<T>, options?: MemoOptions): T | Promise<T>
}

export interface MemoOptions {
  /** How long the files are not looked at again, ms: for what nobody changes and uses in one breath. Default 0. */
  readonly freshMs?: number
}

/** Keys that are kept; the one not asked for longest goes first. */
const maxKeys = 64
/** Paths of one key that are looked at each time. */
const maxPaths = 4_000
/** A file changed less than this ago may change again without a trace: the clock of a file system is coarse. */
const settledMs = 100

export function createFileMemo(now: () => number = Date.now): FileMemo {
  const kept = new Map<string, Kept>()
  /** What was looked at in this round of the event loop. */
  let seen: WeakSet<Kept> | undefined
  const noteSeen = (known: Kept) => {
    if (!seen) {
      seen = new WeakSet()
      setImmediate(() => (seen = undefined))
    }
    seen.add(known)
  }
  async function remade<T>(key: string, make: (watch: WatchPath) => Promise<T>): Promise<T> {
    const paths = new Map<string, FileState>()
    const made = await make((path) => {
      if (!paths.has(path)) paths.set(path, stateOf(path))
    })
    const isSettled = [...paths.values()].every((state) => now() - newest(state) > settledMs)
    if (isSettled && paths.size <= maxPaths) kept.set(key, { paths, made, lookedAt: now() })
    const [oldest] = kept.keys()
    if (kept.size > maxKeys && oldest !== undefined) kept.delete(oldest)
    return made
  }
  return {
    of<T>(key: string, make: (watch: WatchPath) => Promise<T>, { freshMs = 0 }: MemoOptions = {}): T | Promise<T> {
      const known = kept.get(key)
      kept.delete(key)
      const isFresh = known && (seen?.has(known) || (freshMs > 0 && isWithin(now() - known.lookedAt, freshMs)))
      if (!known || !(isFresh || areSame(known.paths))) return remade(key, make)
      if (!isFresh) {
        known.lookedAt = now()
        noteSeen(known)
      }
      kept.set(key, known)
      // A key belongs to one kind of thing.
      return known.made as T
    },
  }
}

/** A clock that was set back says nothing. */
function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs
}

interface Kept {
  readonly paths: ReadonlyMap<string, FileState>
  readonly made: unknown
  /** Ms. */
  lookedAt: number
}

/** What tells one state of a file from another; undefined: it is not there. */
type FileState =
  | { readonly ino: number; readonly size: number; readonly mtimeMs: number; readonly ctimeMs: number }
  | undefined

function areSame(paths: ReadonlyMap<string, FileState>): boolean {
  for (const [path, before] of paths) {
    // Most places have no file, and this costs half as much.
    if (before === undefined && !existsSync(path)) continue
    const now = stateOf(path)
    if (now === before) continue
    if (!now || !before || now.ino !== before.ino || now.size !== before.size) return false
    if (now.mtimeMs !== before.mtimeMs || now.ctimeMs !== before.ctimeMs) return false
  }
  return true
}

/** Asked without waiting: what the thread pool takes to answer costs ten times as much. */
function stateOf(path: string): FileState {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // What may not be looked at is as good as not there.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function newest(state: FileState): number {
  return state ? Math.max(state.mtimeMs, state.ctimeMs) : 0
}
