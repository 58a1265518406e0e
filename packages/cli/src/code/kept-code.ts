import type { FileRoom } from './file-room.ts'

// The entry also runs on a Node that is too old, to say so: nothing is taken from Node before it is used.

/** Compiled code of one file, as V8 gives it. */
export interface KeptCode {
  readonly code: Uint8Array
  /** How many runs have added to it. */
  readonly runs: number
}

/** The count of runs, before the code. V8 wants the code itself at a multiple of eight bytes. */
const headerBytes = 8

/**
 * Reads what `writeKept` has written; `read` gives a file at a multiple of eight bytes. The code is there as long as what
 * it gives. Undefined where there is none, or where it is damaged: V8 does not look for itself, and would crash.
 */
export function readKept(path: string, read: FileRoom['read']): KeptCode | undefined {
  let bytes: Buffer
  try {
    bytes = read(path)
  } catch {
    return undefined
  }
  const size = bytes.length / 2
  if (size <= headerBytes || !Number.isInteger(size)) return undefined
  const whole = bytes.subarray(0, size)
  if (!whole.equals(bytes.subarray(size))) return undefined
  return { code: whole.subarray(headerBytes), runs: whole.readUInt32LE(0) }
}

/**
 * Writes it in one step, and twice over: that both are equal is the one look at all of it that takes next to no time, and
 * loads nothing. Missing folders are made (0700). Throws what the file system says.
 */
export function writeKept(path: string, { code, runs }: KeptCode): void {
  const { mkdirSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs')
  mkdirSync(process.getBuiltinModule('node:path').dirname(path), { recursive: true, mode: 0o700 })
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(runs)
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, Buffer.concat([header, code, header, code]), { mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Removes what no run has written for so long, in ms: files of versions that are gone. */
export function sweepKept(folder: string, olderThanMs: number): void {
  const { readdirSync, rmSync, statSync } = process.getBuiltinModule('node:fs')
  for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (Date.now() - written > olderThanMs) rmSync(path, { force: true })
  }
}
