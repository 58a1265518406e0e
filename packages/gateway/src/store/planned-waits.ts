/** Waits that end at a time of the wall's clock, for at most as long as they were planned. */
export interface PlannedWaits {
  /** Ms until a wait is over that ends at `until` (ms since 1970) and was planned for `plannedMs`; 0: it is over. */
  left(id: number, until: number, plannedMs: number): number
  forget(id: number): void
}

/** Waits that are remembered; one that is forgotten begins anew when it is looked at next. */
const maxWaits = 10_000

/** `now`: ms since 1970, which may jump; `elapsed`: monotonic ms. A clock that was set back makes no wait longer. */
export function createPlannedWaits(now: () => number, elapsed: () => number = () => performance.now()): PlannedWaits {
  const known = new Map<number, { readonly until: number; readonly endsAt: number }>()
  return {
    left(id, until, plannedMs) {
      const byWall = until - now()
      if (byWall <= 0) return 0
      let wait = known.get(id)
      if (wait?.until !== until) {
        wait = { until, endsAt: elapsed() + Math.min(byWall, Math.max(0, plannedMs)) }
        known.set(id, wait)
        const [oldest] = known.keys()
        if (known.size > maxWaits && oldest !== undefined) known.delete(oldest)
      }
      return Math.max(0, Math.min(byWall, wait.endsAt - elapsed()))
    },
    forget: (id) => void known.delete(id),
  }
}
