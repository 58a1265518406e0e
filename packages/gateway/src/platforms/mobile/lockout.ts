import { LOCKOUT_FAILURES, LOCKOUT_MS, LOCKOUT_WINDOW_MS } from '@hermes/protocol/mobile/constants.ts'

/** Addresses that are remembered; the oldest give way. */
const maxAddresses = 10_000

/** Keeps those out who try tokens. */
export interface Lockout {
  isLocked(address: string): boolean
  /** A hello of this address was refused. */
  failed(address: string): void
}

/** `now`: ms since 1970. */
export function createLockout(now: () => number): Lockout {
  const failures = new Map<string, { times: readonly number[]; lockedUntil: number }>()
  return {
    isLocked(address) {
      const left = (failures.get(address)?.lockedUntil ?? 0) - now()
      // A clock that was set back keeps nobody out for longer.
      return left > 0 && left <= LOCKOUT_MS
    },
    failed(address) {
      const before = failures.get(address)?.times ?? []
      const times = [...before.filter((at) => at > now() - LOCKOUT_WINDOW_MS && at <= now()), now()]
      const isTooMuch = times.length >= LOCKOUT_FAILURES
      failures.delete(address)
      failures.set(address, { times: isTooMuch ? [] : times, lockedUntil: isTooMuch ? now() + LOCKOUT_MS : 0 })
      const [oldest] = failures.keys()
      if (failures.size > maxAddresses && oldest !== undefined) failures.delete(oldest)
    },
  }
}
