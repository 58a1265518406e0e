import { setTimeout as sleep } from 'node:timers/promises'
import { isLocked } from './database-error.ts'

export interface LockWait {
  readonly signal?: AbortSignal
  /** How long to try before the lock's error is thrown. Default 30 s. */
  readonly timeoutMs?: number
}

const longestPauseMs = 40

/**
 * Makes an attempt again, with random pauses in which the process does other work, for as long as SQLite says that
 * another connection is in the way. When time is up, SQLite's own error is thrown; when `signal` aborts, its reason.
 */
export function retryWhileLocked<T>(attempt: () => T, wait: LockWait = {}): Promise<T> {
  // Nearly always nothing is in the way, and what it takes to wait would cost more than a short read.
  try {
    wait.signal?.throwIfAborted()
    return Promise.resolve(attempt())
  } catch (error) {
    return isLocked(error) ? retryAfter(error, attempt, wait) : Promise.reject(error)
  }
}

async function retryAfter<T>(locked: unknown, attempt: () => T, wait: LockWait): Promise<T> {
  const deadline = performance.now() + (wait.timeoutMs ?? 30_000)
  let last = locked
  for (let pauseMs = 1; performance.now() < deadline; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    await pause(1 + Math.random() * pauseMs, wait.signal)
    wait.signal?.throwIfAborted()
    try {
      return attempt()
    } catch (error) {
      if (!isLocked(error)) throw error
      last = error
    }
  }
  throw last
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
