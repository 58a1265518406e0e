import { existsSync, statSync } from 'node:fs'

/** What tells one state of a file or folder from another; undefined: it is not there. */
export type FileState =
  | { readonly ino: number; readonly size: number; readonly mtimeMs: number; readonly ctimeMs: number }
  | undefined

/** Asked without waiting: what the thread pool takes to answer costs ten times as much. */
export function fileState(path: string): FileState {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // What may not be looked at is as good as not there.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Whether all of them are as they were. */
export function areUnchanged(paths: ReadonlyMap<string, FileState>): boolean {
  for (const [path, before] of paths) {
    // Most places have no file, and this costs half as much.
    if (before === undefined && !existsSync(path)) continue
    const now = fileState(path)
    if (now === before) continue
    if (!now || !before || now.ino !== before.ino || now.size !== before.size) return false
    if (now.mtimeMs !== before.mtimeMs || now.ctimeMs !== before.ctimeMs) return false
  }
  return true
}
