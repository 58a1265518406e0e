import { CredentialError } from '../../credentials/credential-error.ts'
import type { CredentialErrorCode } from '../../credentials/credential-error.ts'
import type { Lease } from '../../credentials/lease.ts'
import type { CredentialPool } from '../../credentials/pool.ts'
import { ModelError } from '../model-error.ts'
import type { ModelErrorCode } from '../model-error.ts'
import { retryDelayMs } from '../retry.ts'
import type { CallKeys, CallKey, KeyRecovery, Keys } from './keys.ts'

export interface PooledKeysOptions {
  /** Opened when a call is made. */
  readonly pool: () => Promise<CredentialPool>
  /** The pool's name of the provider. */
  readonly provider: string
  /** What people call it. */
  readonly label: string
  /** Whether calls go to where the person said, whatever a key's own address is. */
  readonly isMoved: boolean
  readonly now?: () => number
  readonly random?: () => number
}

/** A key that rests for longer is not waited for here: there may be another model. */
const longestWaitMs = 10_000

/** How long one call waits for keys altogether. */
const longestWaitOfCallMs = 60_000

/**
 * The keys of a provider's pool. A refused key rests, and the call goes on with the next one; the first rate limit in a
 * row only waits for a moment and tries the same key again. No key is used while it rests.
 */
export function pooledKeys(options: PooledKeysOptions): Keys {
  return { forCall: () => callKeys(options) }
}

function callKeys(options: PooledKeysOptions): CallKeys {
  const { provider, label, isMoved, now = Date.now, random = Math.random } = options
  let held: Lease | undefined
  /** The key that was limited last, and is tried once more. */
  let limited: string | undefined
  let waitedMs = 0

  const acquire = async (signal: AbortSignal): Promise<Lease> => {
    const pool = await options.pool()
    return pool.acquire(provider, signal, limited)
  }
  const waitFor = (afterMs: number, notice: string): KeyRecovery | undefined => {
    if (afterMs > longestWaitMs || waitedMs + afterMs > longestWaitOfCallMs) return undefined
    waitedMs += afterMs
    return { afterMs, notice }
  }
  /** The next key is already here when it is asked for. */
  const goOn = async (words: string, signal: AbortSignal): Promise<KeyRecovery | undefined> => {
    try {
      held = await acquire(signal)
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error
      return undefined
    }
    return { afterMs: 0, notice: `${words} Going on with ${held.label}.` }
  }
  const afterLimit = async (lease: Lease, failure: ModelError, signal: AbortSignal) => {
    const told = failure.retryAfterMs
    const words = `${label} limits the rate of ${lease.label}.`
    if (limited !== lease.id) {
      const afterMs = Math.max(told ?? 0, told ? 0 : retryDelayMs(failure, 1, random))
      const again = waitFor(afterMs, `${words} Trying it again in ${seconds(afterMs)}.`)
      if (again) {
        limited = lease.id
        lease.pause(afterMs)
        return again
      }
    }
    limited = undefined
    if (told) {
      await lease.report(failure)
      return goOn(words, signal)
    }
    // Nobody knows for how long: that is held against the key only where there is another one.
    lease.pause(pauseMs)
    const recovery = await goOn(words, signal)
    if (recovery) await lease.report(failure)
    return recovery
  }

  return {
    next: async (signal) => {
      if (held && !held.isResting()) return keyOf(held, isMoved)
      try {
        held = await acquire(signal)
        return keyOf(held, isMoved)
      } catch (error) {
        if (!(error instanceof CredentialError)) throw error
        const failure = asModelError(error, now())
        const { retryAfterMs } = failure
        const spread = retryAfterMs === undefined ? 0 : retryAfterMs + random() * spreadMs
        const wait =
          retryAfterMs === undefined ? undefined : waitFor(spread, `${label}: every key rests for ${seconds(spread)}.`)
        if (!wait) throw failure
        return wait
      }
    },
    isStale: () => held?.isResting() ?? false,
    worked: async () => {
      limited = undefined
      await held?.report('ok')
    },
    failed: async (failure, signal) => {
      const lease = held
      if (!lease || !ofTheKey.has(failure.code)) return undefined
      held = undefined
      if (failure.code === 'rate-limited') return afterLimit(lease, failure, signal)
      await lease.report(failure)
      return goOn(failure.message, signal)
    },
  }
}

const ofTheKey: ReadonlySet<ModelErrorCode> = new Set(['auth', 'payment', 'rate-limited'])

/** How long a key is left alone while another one is looked for. */
const pauseMs = 1000

/** Those who wait for the same key do not come back at once. */
const spreadMs = 250

function keyOf({ secret, baseUrl, label, provider }: Lease, isMoved: boolean): CallKey {
  return {
    secret,
    ...(!isMoved && baseUrl !== undefined && { baseUrl }),
    label,
    hint: `It is ${label}; see: hermes auth list ${provider}`,
  }
}

const codes: Partial<Record<CredentialErrorCode, ModelErrorCode>> = {
  none: 'not-configured',
  'sign-in': 'auth',
  cooling: 'rate-limited',
  refresh: 'network',
}

/** A pool that lends nothing, as a call's failure. */
function asModelError(error: CredentialError, nowMs: number): ModelError {
  const { availableAtMs: at } = error
  return new ModelError(codes[error.code] ?? 'auth', error.message, {
    cause: error,
    ...(at !== undefined && { retryAfterMs: Math.max(0, at - nowMs) }),
  })
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
