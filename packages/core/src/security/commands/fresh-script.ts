import { readFileSync, statSync } from 'node:fs'
import { isForShell } from './made-files.ts'

/** Larger files are programs that somebody distributes. */
const longestScript = 100_000
const freshMs = 24 * 60 * 60 * 1000

/**
 * The text of a file that a shell would run, where the file was made or changed within the last day, by whom ever: its
 * time of change is one that no program sets.
 */
export function freshScript(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size > longestScript || Date.now() - stats.ctimeMs > freshMs) return undefined
    const text = readFileSync(path, 'utf8')
    return isForShell(text) && !text.includes('\0') ? text : undefined
  } catch {
    // What cannot be read cannot be run by a shell either.
    return undefined
  }
}
