import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { areUnchanged, fileState } from '@hermes/core/storage/file-state.ts'
import type { FileState } from '@hermes/core/storage/file-state.ts'

export interface FilesToWatch {
  readonly folder: string
  /** Of files in the folder, whether they are there or not. */
  readonly names: Iterable<string>
  /** One of them has changed, come or gone. */
  readonly onChange: () => void
  /** They cannot be watched any more. */
  readonly onError: (error: Error) => void
}

/** Changes of other files of the folder within `busyMs` that make it a busy one. */
const busyCount = 16
const busyMs = 250
/** How long the watch of a busy folder rests, ms. */
const restMs = 500

/**
 * Watches files of a folder until it is disposed of; asks nothing of an idle disk. Files that are replaced are seen in their
 * folder alone, and so is every write to the others: where those are many (a database's log), each costs its writer a
 * quarter more and wakes the process. Then the watch rests, and the files are looked at when it begins again. Throws where
 * it cannot begin.
 */
export function watchFiles({ folder, names, onChange, onError }: FilesToWatch): Disposable {
  const paths = new Map([...names].map((name) => [name, join(folder, name)]))
  const states = new Map<string, FileState>()
  for (const path of paths.values()) states.set(path, undefined)
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  let others = 0
  let countedFrom = 0

  const seen = (_event: string, name: string | null): void => {
    const path = name === null ? undefined : paths.get(name)
    if (name === null) tellChanged()
    else if (path === undefined) noteOther()
    else {
      states.set(path, fileState(path))
      onChange()
    }
  }
  const noteOther = (): void => {
    // It rests already: what was noticed before comes all the same.
    if (!watcher) return
    const now = performance.now()
    if (now - countedFrom > busyMs) {
      others = 0
      countedFrom = now
    }
    if (++others >= busyCount) rest()
  }
  const rest = (): void => {
    watcher?.close()
    watcher = undefined
    timer = setTimeout(() => {
      try {
        begin()
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)))
        return
      }
      tellChanged()
    }, restMs).unref()
  }
  const begin = (): void => {
    others = 0
    watcher = watch(folder, { persistent: false }, seen)
    watcher.on('error', onError)
  }
  /** Looks at all of them; notes how they are now. */
  const tellChanged = (): void => {
    if (noteChanged()) onChange()
  }
  const noteChanged = (): boolean => {
    if (areUnchanged(states)) return false
    for (const path of paths.values()) states.set(path, fileState(path))
    return true
  }

  begin()
  noteChanged()
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      watcher?.close()
    },
  }
}
