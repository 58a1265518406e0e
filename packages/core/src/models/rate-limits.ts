/** One limit of a provider, as it stood when a call was answered. */
export interface RateLimit {
  /** What it counts, in the provider's words: `requests`, `tokens-1h`, `input-tokens`, `unified-5h`. */
  readonly name: string
  /** How much of it is used, 0 to 1. */
  readonly used: number
  /** How much there is, and how much of it is left; absent where only the share is told. */
  readonly limit?: number
  readonly remaining?: number
  /** When it is whole again, ms since the epoch; absent where it is not told. */
  readonly resetsAtMs?: number
}

/** The limits of one key. */
export interface KeyLimits {
  readonly provider: string
  /** What people call the key, where a provider may have several. Never the key. */
  readonly key?: string
  /** When they were told, ms since the epoch. */
  readonly toldAtMs: number
  readonly limits: readonly RateLimit[]
}

/** The limits that providers told last, of each key. */
export interface RateLimitBook {
  note(told: KeyLimits): void
  /** The one told last comes first. */
  all(): readonly KeyLimits[]
}

/** Most keys that are remembered. */
const mostKeys = 64

export function createRateLimitBook(): RateLimitBook {
  const told = new Map<string, KeyLimits>()
  return {
    note: (limits) => {
      const id = JSON.stringify([limits.provider, limits.key])
      // The order of a map is that in which its keys came.
      told.delete(id)
      told.set(id, limits)
      const [oldest] = told.keys()
      if (told.size > mostKeys && oldest !== undefined) told.delete(oldest)
    },
    all: () => [...told.values()].toReversed(),
  }
}
