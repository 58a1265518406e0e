const windowMs = 60_000

/** Lets so many requests of a route through in any minute; tells the seconds to wait when there are more. */
export function createRequestLimit(perMinute: number, now: () => number): (route: string) => number | undefined {
  const taken = new Map<string, readonly number[]>()
  return (route) => {
    // What lies ahead was noted before a clock was set back.
    const recent = (taken.get(route) ?? []).filter((at) => at > now() - windowMs && at <= now())
    const isFull = recent.length >= perMinute
    taken.set(route, isFull ? recent : [...recent, now()])
    return isFull ? Math.max(1, Math.ceil(((recent[0] ?? now()) + windowMs - now()) / 1000)) : undefined
  }
}
