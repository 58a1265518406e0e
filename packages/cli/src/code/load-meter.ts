/** Tells load from the odd message, by what a process takes of the processor. */
export interface LoadMeter {
  /** Whether there is load. `now` and `spent`, what the process has taken in all of the processor's time, are in ms. */
  isLoad(now: number, spent: number): boolean
}

/** For so long after the start it is the start that keeps the process busy, ms. */
const startsMs = 2000

/** Of one processor, the share that is no load however long it is taken. */
const restShare = 0.05

/** Of the processor's time, what may be taken beyond that in one go, ms. */
const atOnceMs = 300

/**
 * Of a process that starts at `now`. It is a bucket that leaks: what a crowded machine gives it late counts as what it gets
 * at once.
 */
export function createLoadMeter(now: number): LoadMeter {
  let before: { readonly at: number; readonly spent: number } | undefined
  let level = 0
  return {
    isLoad(at, spent) {
      if (at - now < startsMs) return false
      if (before) level = Math.max(0, level + spent - before.spent - restShare * (at - before.at))
      before = { at, spent }
      return level >= atOnceMs
    },
  }
}
