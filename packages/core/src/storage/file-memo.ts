import { fileState, isSettled } from './file-state.ts'
import type { FileState } from './file-state.ts'
import { FolderWatch } from './folder-watch.ts'
import { createListMemo } from './list-memo.ts'
import { LookedAtPaths } from './looked-at-paths.ts'
import { WatchedPaths } from './watched-paths.ts'

/** Notes a path before it is read, or before it is found not to be there. */
export type WatchPath = (path: string) => void

/** What was made of files, kept until one of them changes, comes or goes. */
export interface FileMemo extends Disposable {
  /**
   * What `make` makes, or has made before under this key of the same files. It names every path that it looks at. What
   * begins in one round of the event loop shares a look. What is known is told at once. A key of several parts is the same
   * where each of them is.
   */
  of<T>(key: MemoKey, make: (watch: WatchPath) => Promise<T>, options?: MemoOptions): T | Promise<T>
}

export type MemoKey = string | readonly unknown[]

export interface MemoOptions {
  /** How long the files are not looked at again, ms: for what nobody changes and uses in one breath. Default 0. */
  readonly freshMs?: number
  /**
   * Whether the folders among the paths are watched once they have been looked at a few times, so that many files need not
   * be. Default false: a folder in which much else happens costs more than it saves.
   */
  readonly isWatched?: boolean
}

/** Keys that are kept; the one not asked for longest goes first. */
const maxKeys = 64
/** Paths of one key that are looked at each time. */
const maxPaths = 4_000

export function createFileMemo(now: () => number = Date.now): FileMemo {
  const kept = new Map<string | symbol, Kept>()
  /** What was looked at in this round of the event loop. */
  let seen: WeakSet<Kept> | undefined
  const noteSeen = (known: Kept) => {
    if (!seen) {
      seen = new WeakSet()
      setImmediate(() => (seen = undefined))
    }
    seen.add(known)
  }
  const folders = new FolderWatch()
  const nameOf = createListMemo<unknown, symbol>(maxKeys)
  async function remade<T>(
    key: string | symbol,
    make: (watch: WatchPath) => Promise<T>,
    isWatched: boolean,
  ): Promise<T> {
    const paths = new Map<string, FileState>()
    const made = await make((path) => {
      if (!paths.has(path)) paths.set(path, fileState(path))
    })
    const areSettled = [...paths.values()].every((state) => isSettled(state, now()))
    if (areSettled && paths.size <= maxPaths) kept.set(key, keptOf(paths, made, isWatched))
    const [oldest] = kept.keys()
    if (kept.size > maxKeys && oldest !== undefined) kept.delete(oldest)
    return made
  }
  const keptOf = (paths: ReadonlyMap<string, FileState>, made: unknown, isWatched: boolean): Kept => {
    const looked = isWatched ? new WatchedPaths(paths, folders) : new LookedAtPaths(paths, now)
    return { made, lookedAt: now(), paths: looked }
  }
  return {
    of<T>(parts: MemoKey, make: (watch: WatchPath) => Promise<T>, options: MemoOptions = {}): T | Promise<T> {
      const { freshMs = 0, isWatched = false } = options
      const key = typeof parts === 'string' ? parts : nameOf(parts, newName)
      const known = kept.get(key)
      kept.delete(key)
      const isFresh = known && (seen?.has(known) || (freshMs > 0 && isWithin(now() - known.lookedAt, freshMs)))
      if (!known || !(isFresh || known.paths.areUnchanged(performance.now()))) return remade(key, make, isWatched)
      if (!isFresh) {
        known.lookedAt = now()
        noteSeen(known)
      }
      kept.set(key, known)
      // A key belongs to one kind of thing.
      return known.made as T
    },
    [Symbol.dispose]: () => folders[Symbol.dispose](),
  }
}

const newName = () => Symbol('key')

/** A clock that was set back says nothing. */
function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs
}

interface Kept {
  readonly made: unknown
  readonly paths: LookedAtPaths | WatchedPaths
  /** Ms. */
  lookedAt: number
}
