import { existsSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { areUnchanged, fileState, isSameState, isSettled } from './file-state.ts'
import type { FileState } from './file-state.ts'

/** Looks after which it pays to sort them: most processes do not look as often. */
const looksBefore = 3
/** So many places without a file make a look at their folder cheaper than one at each. */
const leastInFolder = 3
/** Each place is looked at this often, whatever its folder tells, ms: something may be mounted over one. */
const lookAgainMs = 5_000

/** Paths that are asked about again and again. Of places without a file their folder tells, which changes when one comes. */
export class LookedAtPaths {
  readonly #paths: ReadonlyMap<string, FileState>
  readonly #now: () => number
  #looks = 0
  #single: ReadonlyMap<string, FileState> = new Map()
  #folders: readonly FolderOfNone[] = []

  /** `now`: the time as files have it, ms. */
  constructor(paths: ReadonlyMap<string, FileState>, now: () => number) {
    this.#paths = paths
    this.#now = now
  }

  /** Whether all of them are as they were. */
  areUnchanged(): boolean {
    if (this.#looks < looksBefore) {
      if (++this.#looks === looksBefore) this.#sort()
      return areUnchanged(this.#paths)
    }
    return areUnchanged(this.#single) && this.#folders.every((folder) => folder.isEmptyThere(this.#now()))
  }

  #sort(): void {
    const single = new Map(this.#paths)
    const absent = [...this.#paths].flatMap(([path, state]) => (state ? [] : [path]))
    const folders: FolderOfNone[] = []
    for (const [folder, places] of Map.groupBy(absent, dirname)) {
      if (places.length < leastInFolder) continue
      folders.push(new FolderOfNone(folder, places))
      for (const path of places) single.delete(path)
    }
    this.#single = single
    this.#folders = folders
  }
}

/** A folder, and places in it where there is nothing. */
class FolderOfNone {
  readonly #path: string
  readonly #places: readonly string[]
  /** As it was when there was nothing, where a change after that shows. */
  #known: FileState
  #lookedAtMs = 0

  constructor(path: string, places: readonly string[]) {
    this.#path = path
    this.#places = places
  }

  isEmptyThere(nowMs: number): boolean {
    const state = fileState(this.#path)
    const ageMs = nowMs - this.#lookedAtMs
    if (this.#known && isSameState(state, this.#known) && ageMs >= 0 && ageMs < lookAgainMs) return true
    this.#known = undefined
    if (this.#places.some((path) => existsSync(path))) return false
    // What a pointer to nothing points to may come without a trace in this folder.
    const isBare = this.#places.every((path) => !lstatSync(path, { throwIfNoEntry: false }))
    if (isBare && isSettled(state, nowMs)) {
      this.#known = state
      this.#lookedAtMs = nowMs
    }
    return true
  }
}
