import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'

export interface RotatingFileOptions {
  readonly path: string
  readonly maxBytes: number
  /** Older files kept: `.1` is the newest of them. */
  readonly backups: number
  readonly mode: number
}

/** A log file that several processes append to. */
export interface RotatingFile {
  /** Appends as many of these lines as have room, one at least, at once; how many. Throws what the file system throws. */
  append(lines: readonly string[]): number
}

/** Longer than a rotation takes: a lock older than this was left by a process that died. */
const staleLockMs = 10_000

/**
 * Opens nothing yet: each append opens, writes and closes, so that no process goes on writing to a file that another
 * one has put aside. When the file is full it becomes `.1`, and so on.
 */
export function createRotatingFile({ path, maxBytes, backups, mode }: RotatingFileOptions): RotatingFile {
  let isPrepared = false

  return {
    append(lines) {
      if (!isPrepared) {
        prepare(path, mode)
        isPrepared = true
      }
      const firstBytes = Buffer.byteLength(lines[0] ?? '')
      let size = sizeOf(path)
      if (size > 0 && size + firstBytes > maxBytes) {
        rotate(path, maxBytes, backups, firstBytes)
        size = sizeOf(path)
      }
      const fitting = fittingLines(lines, maxBytes - size)
      const file = openSync(path, appendFlags, mode)
      try {
        appendFileSync(file, fitting.join(''))
      } finally {
        closeSync(file)
      }
      return fitting.length
    },
  }
}

/** Without blocking: a pipe in the log's place, which nobody reads, fails instead of holding the program up. */
const appendFlags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NONBLOCK

/** The first line, and those after it for which there is room. */
function fittingLines(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0
  const at = lines.findIndex((line) => (bytes += Buffer.byteLength(line)) > maxBytes)
  return at < 0 ? lines : lines.slice(0, Math.max(at, 1))
}

/** Makes the folder, and closes an older file to others. */
function prepare(path: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat && (stat.mode & 0o777 & ~mode) !== 0 && stat.uid === process.getuid?.()) chmodSync(path, mode)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Puts the file aside, unless another process is doing it or has done it. */
function rotate(path: string, maxBytes: number, backups: number, addedBytes: number): void {
  const lock = `${path}.lock`
  if (!takeLock(lock)) return
  try {
    if (sizeOf(path) + addedBytes <= maxBytes) return
    if (backups === 0) rmSync(path, { force: true })
    for (let number = backups; number > 0; number--) {
      const from = number === 1 ? path : `${path}.${number - 1}`
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`)
    }
  } finally {
    rmSync(lock, { force: true })
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    const left = statSync(lock, { throwIfNoEntry: false })
    // The next append tries again.
    if (left && Date.now() - left.mtimeMs > staleLockMs) rmSync(lock, { force: true })
    return false
  }
}
