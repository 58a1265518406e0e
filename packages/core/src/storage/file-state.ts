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
    if (!isSameState(fileState(path), before)) return false
  }
  return true
}

export function isSameState(now: FileState, before: FileState): boolean {
  if (!now || !before) return now === before
  if (now.ino !== before.ino || now.size !== before.size) return false
  return now.mtimeMs === before.mtimeMs && now.ctimeMs === before.ctimeMs
}

/** A file changed less than this ago may change again without a trace: the clock of a file system is coarse. */
const settledMs = 100

/** Whether a change from `nowMs` on would show. */
export function isSettled(state: FileState, nowMs: number): boolean {
  return nowMs - (state ? Math.max(state.mtimeMs, state.ctimeMs) : 0) > settledMs
}
