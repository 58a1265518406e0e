import { lstatSync, statSync, statfsSync, watch } from 'node:fs'
import type { FSWatcher, Stats } from 'node:fs'
import { dirname } from 'node:path'
import { ifAllowed } from './if-allowed.ts'

/** Folders that are watched at once; what is in others is looked at. */
const usualFolders = 1_024

/**
 * File systems whose every change the kernel tells of: ext2-4, XFS, Btrfs, F2FS, tmpfs, ZFS (`f_type` of statfs(2)). What
 * is changed on another machine, or below an overlay, it does not.
 */
const toldOf: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x2fc12fc1])

/** Watches folders, so that what is in them need not be looked at until something has changed. */
export class FolderWatch implements Disposable {
  /** Grows with each change in one of the folders. Told before the process hears of anything that came later. */
  changes = 0
  /** Grows when all that was covered is no longer. */
  generation = 0
  readonly #folders = new Map<string, WatchedFolder>()
  readonly #maxFolders: number
  #isUsable: boolean

  constructor({ isUsable = process.platform === 'linux', maxFolders = usualFolders } = {}) {
    this.#isUsable = isUsable
    this.#maxFolders = maxFolders
  }

  /**
   * Watches the folders that are among the paths. Gives back the paths of which a change is not told by that: those whose
   * folder is not among them, links, what has several names, what is not on a disk of this machine.
   */
  cover(paths: ReadonlySet<string>): readonly string[] {
    if (!this.#isUsable) return [...paths]
    if (this.#folders.size + paths.size > this.#maxFolders) this.#forgetThoseGone()
    const covering = new Set<string>()
    const uncovered: string[] = []
    // A folder comes before what is in it.
    for (const path of [...paths].sort()) {
      const found = look(path)
      const isToldOf = covering.has(dirname(path)) && !(found?.isSymbolicLink() === true || isShared(found))
      if (!isToldOf) uncovered.push(path)
      if (this.#watches(path)) covering.add(path)
    }
    return this.#isUsable ? uncovered : [...paths]
  }

  [Symbol.dispose](): void {
    this.#giveUp()
  }

  /** Whether the path is a folder that is watched now. */
  #watches(path: string): boolean {
    const before = folderAt(path)
    const known = this.#folders.get(path)
    if (known && before && isOne(known, before)) return true
    if (known) this.#forget(path, known)
    if (!before || !isLocal(path) || this.#folders.size >= this.#maxFolders) return false
    try {
      const watcher = watch(path, { persistent: false }, () => void this.changes++)
      watcher.on('error', () => this.#giveUp())
      this.#folders.set(path, { watcher, dev: before.dev, ino: before.ino })
    } catch (error) {
      // There may be no more watches to be had: then it is looked at.
      if (error instanceof Error && 'code' in error) return false
      throw error
    }
    // It may have been replaced just before.
    const after = folderAt(path)
    return after !== undefined && isOne(before, after)
  }

  #giveUp(): void {
    this.#isUsable = false
    for (const [path, known] of this.#folders) this.#forget(path, known)
    this.generation++
  }

  #forgetThoseGone(): void {
    for (const [path, known] of this.#folders) {
      const now = folderAt(path)
      if (!now || !isOne(known, now)) this.#forget(path, known)
    }
  }

  /** Whoever relied on it looks for what was not told any more. */
  #forget(path: string, { watcher }: WatchedFolder): void {
    watcher.close()
    this.#folders.delete(path)
    this.changes++
  }
}

interface Place {
  readonly dev: number
  readonly ino: number
}

interface WatchedFolder extends Place {
  readonly watcher: FSWatcher
}

const isOne = (one: Place, other: Place): boolean => one.dev === other.dev && one.ino === other.ino

/** Another name of it may lie in a folder that is not watched. */
const isShared = (found: Stats | undefined): boolean => found?.isDirectory() === false && found.nlink > 1

/** The path itself, where it is a link, too. */
function look(path: string): Stats | undefined {
  return ifAllowed(() => lstatSync(path, { throwIfNoEntry: false }))
}

function folderAt(path: string): Stats | undefined {
  const found = ifAllowed(() => statSync(path, { throwIfNoEntry: false }))
  return found?.isDirectory() === true ? found : undefined
}

function isLocal(path: string): boolean {
  return toldOf.has(ifAllowed(() => statfsSync(path).type) ?? 0)
}
