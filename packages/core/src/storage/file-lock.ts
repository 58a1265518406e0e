import { chmodSync, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError, isLocked, toDatabaseError } from './database-error.ts'
import { type LockWait, retryWhileLocked } from './lock-retry.ts'

/**
 * Runs `fn` while no other caller, in this process or another, holds the lock of `path`: for reading, changing and
 * writing back one file. Throws `DatabaseError` with code `locked` when it was not free in time (default 10 s).
 *
 * Node has no `flock`, so the lock is SQLite's own on the empty file `<path>.lock`: a kernel lock, which ends with its
 * process however that dies, and which no reused process id can confuse. The lock file stays; removing it would let
 * two holders in. Nothing else may open it. A call within `fn` for the same path waits for itself and times out.
 */
export async function withFileLock<T>(path: string, fn: () => T | Promise<T>, wait: LockWait = {}): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const lock = await acquire(`${path}.lock`, { timeoutMs: 10_000, ...wait })
  try {
    return await fn()
  } finally {
    lock.close()
  }
}

async function acquire(lockPath: string, wait: LockWait): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite')
  const isNew = !existsSync(lockPath)
  let lock: DatabaseSync | undefined
  try {
    const opened = new DatabaseSync(lockPath, { timeout: 0 })
    lock = opened
    if (isNew) chmodSync(lockPath, 0o600)
    await retryWhileLocked(() => opened.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'), wait)
    return opened
  } catch (error) {
    lock?.close()
    if (isLocked(error)) {
      throw new DatabaseError('locked', `${lockPath} is held by another process; try again`, { cause: error })
    }
    throw toDatabaseError(error, lockPath)
  }
}
