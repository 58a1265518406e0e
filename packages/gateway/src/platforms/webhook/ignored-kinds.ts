/** How long it is known under which kind something was ignored, ms, and of how much at most. */
const [keptMs, maxKept] = [23 * 3_600_000, 5_000]

/**
 * Events that a route did not want, by what was signed: the same bytes do not come in under another kind, which nobody
 * signs. Under their own they may come again, since a route can be changed.
 */
export interface IgnoredKinds {
  note(signed: string, kind: string): void
  /** Whether it was ignored a short time ago under another kind. */
  isOther(signed: string, kind: string): boolean
}

/** `now`: ms since 1970. */
export function createIgnoredKinds(now: () => number): IgnoredKinds {
  const known = new Map<string, { readonly kind: string; readonly at: number }>()
  return {
    note(signed, kind) {
      if (known.has(signed)) return
      known.set(signed, { kind, at: now() })
      const [oldest] = known.keys()
      if (known.size > maxKept && oldest !== undefined) known.delete(oldest)
    },
    isOther(signed, kind) {
      const before = known.get(signed)
      return before !== undefined && before.kind !== kind && before.at > now() - keptMs
    },
  }
}
