/** Addresses that are remembered; the oldest is forgotten first. */
const maxAddresses = 10_000

/** Keeps those out who have failed too often in a short time. */
export interface LockOut {
  isLocked(address: string): boolean
  failed(address: string): void
}

/** A tenth at a time: looking for the oldest costs more the more were forgotten one by one. */
function forgetOldest(addresses: Map<string, unknown>): void {
  for (const address of addresses.keys()) {
    addresses.delete(address)
    if (addresses.size <= maxAddresses * 0.9) return
  }
}

/** `failures` within `windowMs` lock an address out for `lockedMs`. */
export function createLockOut(options: {
  readonly failures: number
  readonly windowMs: number
  readonly lockedMs: number
  /** Ms since 1970. */
  readonly now: () => number
}): LockOut {
  const { failures, windowMs, lockedMs, now } = options
  const known = new Map<string, { readonly times: readonly number[]; readonly lockedUntil: number }>()
  return {
    isLocked(address) {
      const left = (known.get(address)?.lockedUntil ?? 0) - now()
      // A clock that was set back keeps nobody out for longer.
      return left > 0 && left <= lockedMs
    },
    failed(address) {
      const before = known.get(address)?.times ?? []
      // What lies ahead was noted before a clock was set back.
      const times = [...before.filter((at) => at > now() - windowMs && at <= now()), now()]
      const isTooMuch = times.length >= failures
      known.delete(address)
      known.set(address, { times: isTooMuch ? [] : times, lockedUntil: isTooMuch ? now() + lockedMs : 0 })
      if (known.size > maxAddresses) forgetOldest(known)
    },
  }
}
