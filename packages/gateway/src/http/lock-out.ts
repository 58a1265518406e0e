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

/** `failures` within `windowMs` lock an address out until the first of them is that long ago. */
export function createLockOut(options: {
  readonly failures: number
  readonly windowMs: number
  /** Ms since 1970. */
  readonly now: () => number
}): LockOut {
  const { failures, windowMs, now } = options
  const failedAt = new Map<string, readonly number[]>()
  // What lies ahead was noted before a clock was set back.
  const recent = (address: string) => (failedAt.get(address) ?? []).filter((at) => at > now() - windowMs && at <= now())
  return {
    isLocked: (address) => recent(address).length >= failures,
    failed(address) {
      const times = [...recent(address), now()].slice(-failures)
      failedAt.delete(address)
      failedAt.set(address, times)
      if (failedAt.size > maxAddresses) forgetOldest(failedAt)
    },
  }
}
