import type { Clock } from '../agent/clock.ts'

/** A clock that stands until it is moved: for tests. */
export interface ManualClock extends Clock {
  advance(ms: number): void
}

export function manualClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): ManualClock {
  let nowMs = startMs
  return {
    now: () => nowMs,
    timeZone: 'UTC',
    advance: (ms) => {
      nowMs += ms
    },
  }
}
