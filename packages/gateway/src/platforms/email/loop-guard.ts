/** More mails of one address in this time are no person's: so many, ms. */
const [most, windowMs] = [30, 600_000]

/** Addresses that are remembered. */
const maxAddresses = 1_000

/** Lets no two programs write to each other for ever, when neither says what it is. */
export interface LoopGuard {
  /** Notes a mail; false where there have been too many. */
  allows(address: string): boolean
}

export function createLoopGuard(now: () => number): LoopGuard {
  const seen = new Map<string, number[]>()
  return {
    allows(address) {
      const times = (seen.get(address) ?? []).filter((at) => at > now() - windowMs)
      seen.delete(address)
      const [oldest] = seen.keys()
      if (seen.size >= maxAddresses && oldest !== undefined) seen.delete(oldest)
      const isAllowed = times.length < most
      seen.set(address, isAllowed ? [...times, now()] : times)
      return isAllowed
    },
  }
}
