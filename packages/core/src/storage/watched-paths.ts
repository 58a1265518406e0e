import { areUnchanged } from './file-state.ts'
import type { FileState } from './file-state.ts'
import type { FolderWatch } from './folder-watch.ts'

/** Looks after which it pays to watch: most processes do not look as often. */
const looksBefore = 3
/** All of the paths are looked at this often, whatever is told of their folders, ms: something may be mounted over one. */
const lookAgainMs = 5_000

/** Paths that are asked about again and again: looked at only when something has changed in their folders. */
export class WatchedPaths {
  readonly #paths: ReadonlyMap<string, FileState>
  readonly #folders: FolderWatch
  #looks = 0
  #lookedAtMs = 0
  #changes = -1
  #generation = -1
  /** Of which changes are not told. */
  #uncovered: ReadonlyMap<string, FileState> = new Map()

  constructor(paths: ReadonlyMap<string, FileState>, folders: FolderWatch) {
    this.#paths = paths
    this.#folders = folders
  }

  /** Whether all of them are as they were. `nowMs`: of a clock that is never set. */
  areUnchanged(nowMs: number): boolean {
    if (++this.#looks <= looksBefore) return areUnchanged(this.#paths)
    const isCovered = this.#generation === this.#folders.generation
    const isQuiet = this.#changes === this.#folders.changes && nowMs - this.#lookedAtMs < lookAgainMs
    if (isCovered && isQuiet) return areUnchanged(this.#uncovered)
    if (!isCovered) this.#cover()
    // What changes from here on is told.
    this.#changes = this.#folders.changes
    this.#lookedAtMs = nowMs
    return areUnchanged(this.#paths)
  }

  #cover(): void {
    const uncovered = this.#folders.cover(new Set(this.#paths.keys()))
    this.#uncovered = new Map(uncovered.map((path) => [path, this.#paths.get(path)]))
    this.#generation = this.#folders.generation
  }
}
