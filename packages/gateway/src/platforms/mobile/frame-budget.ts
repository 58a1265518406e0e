/** Frames of one kind: so many at once, and so many a second after that. */
interface Allowance {
  readonly atOnce: number
  readonly perSecond: number
}

/** What begins a turn is dear; the rest comes in swarms, such as 500 acknowledgements after a reconnect. */
const allowances = {
  message: { atOnce: 40, perSecond: 4 },
  other: { atOnce: 1_000, perSecond: 200 },
} satisfies Record<string, Allowance>

/** Whether one more frame of a connection is taken. */
export interface FrameBudget {
  take(kind: keyof typeof allowances): boolean
}

/** `now`: ms. */
export function createFrameBudget(now: () => number): FrameBudget {
  const left = {
    message: { count: allowances.message.atOnce, at: now() },
    other: { count: allowances.other.atOnce, at: now() },
  }
  return {
    take(kind) {
      const { atOnce, perSecond } = allowances[kind]
      const bucket = left[kind]
      bucket.count = Math.min(atOnce, bucket.count + ((now() - bucket.at) / 1000) * perSecond)
      bucket.at = now()
      if (bucket.count < 1) return false
      bucket.count--
      return true
    },
  }
}
