import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

export type DatabaseErrorCode = 'locked' | 'corrupt' | 'disk-full' | 'io' | 'read-only' | 'cannot-open'

/** A database could not be used. Callers branch on `code`; people read `message`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: DatabaseErrorCode

  constructor(code: DatabaseErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** SQLite's primary result codes that we name: https://www.sqlite.org/rescode.html */
const resultCodes: Readonly<Record<number, { code: DatabaseErrorCode; message: (path: string) => string }>> = {
  5: { code: 'locked', message: (path) => `${path} is kept busy by another process; try again` },
  6: { code: 'locked', message: (path) => `${path} is kept busy by another process; try again` },
  8: { code: 'read-only', message: (path) => `${path} cannot be written; check its owner and permissions` },
  10: { code: 'io', message: (path) => `reading or writing ${path} failed; check the disk it is on` },
  11: {
    code: 'corrupt',
    message: (path) => `${path} is damaged; restore it from a backup, or move it away to begin a new one`,
  },
  13: { code: 'disk-full', message: (path) => `no room left to write ${path}; free some disk space` },
  14: { code: 'cannot-open', message: (path) => `${path} cannot be opened; check its folder and permissions` },
  26: {
    code: 'corrupt',
    message: (path) => `${path} is not a database; restore it from a backup, or move it away to begin a new one`,
  },
}

const ioCode = 10
const fullCode = 13

/** Below it a disk counts as full, bytes: SQLite needs some room beside the file itself. */
const leastRoom = 256 * 1024

/** Bytes that are left on the disk of a file; undefined where that cannot be told. */
function roomFor(path: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path))
    return blocks === 0 ? undefined : bavail * bsize
  } catch {
    // A disk that cannot even be asked has another problem.
    return undefined
  }
}

/** SQLite's primary result code of an error of `node:sqlite`; undefined for any other. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

/** Whether an error says that another connection holds the database. */
export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 5 || code === 6
}

/** The typed form of SQLite's failures; any other error is returned as it is. */
export function toDatabaseError(error: unknown, path: string, roomOf = roomFor): unknown {
  const code = sqliteCode(error)
  // A full disk is often told as a failed read or write only.
  const isFull = code === ioCode && (roomOf(path) ?? leastRoom) < leastRoom
  const named = resultCodes[isFull ? fullCode : (code ?? -1)]
  return named ? new DatabaseError(named.code, named.message(path), { cause: error }) : error
}
