import { setTimeout as wait } from 'node:timers/promises'
import { ModelError } from './model-error.ts'

const baseMs = 2000
const capMs = 60_000
/** A provider that asks for more patience than this gets this much. */
const longestRetryAfterMs = 120_000

/**
 * How long to wait before attempt `attempt + 1` (`attempt` counts the failures so far, from 1): what the provider asked
 * for, else a doubling delay with up to half of it more at random, so that many clients do not come back at once.
 */
export function retryDelayMs(error: ModelError, attempt: number, random: () => number): number {
  if (error.retryAfterMs !== undefined) return Math.min(Math.max(0, error.retryAfterMs), longestRetryAfterMs)
  const delayMs = Math.min(baseMs * 2 ** (attempt - 1), capMs)
  return delayMs + delayMs * 0.5 * random()
}

/** Waits. When `signal` aborts, throws its reason. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

export interface RetryOptions {
  /** Times the call is made before its failure is final. */
  readonly maxAttempts: number
  readonly signal: AbortSignal
  readonly sleep?: typeof sleep
  readonly random?: () => number
  /** Told before each wait. */
  readonly onRetry?: (error: ModelError, attempt: number, delayMs: number) => void
}

/** Makes a call until it succeeds, fails for a reason that will stay, or has failed `maxAttempts` times. */
export async function withRetry<Result>(call: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { maxAttempts, signal, sleep: pause = sleep, random = Math.random, onRetry } = options
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ModelError) || !error.isTransient || attempt >= maxAttempts) throw error
      const delayMs = retryDelayMs(error, attempt, random)
      onRetry?.(error, attempt, delayMs)
      await pause(delayMs, signal)
    }
  }
}
