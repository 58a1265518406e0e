import { setTimeout as wait } from 'node:timers/promises'
import { ModelError } from './model-error.ts'

const baseMs = 2000
const capMs = 60_000
/** A provider that asks for more patience than this gets this much. */
export const longestRetryAfterMs = 120_000

/**
 * How long to wait before attempt `attempt + 1` (`attempt` counts the failures so far, from 1): what the provider asked
 * for, else a doubling delay with up to half of it more at random, so that many clients do not come back at once. A
 * provider that asks for no time at all, or names one that is over, has said nothing: its failure does not end by being
 * met at once with the same call.
 */
export function retryDelayMs({ retryAfterMs = 0 }: ModelError, attempt: number, random: () => number): number {
  if (retryAfterMs > 0) return Math.min(retryAfterMs, longestRetryAfterMs)
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
