import type { ModelErrorCode } from '../models/model-error.ts'
import { cooldownMs, resetTimeMs } from './cooldown.ts'
import type { JsonRecord } from './auth-file.ts'

/** One credential, lent for one request. */
export interface Lease {
  readonly provider: string
  readonly id: string
  readonly label: string
  readonly type: 'api_key' | 'oauth'
  readonly source: string
  /** What goes into the request. Never log it. */
  readonly secret: string
  /** Where the request goes; undefined where only the caller knows. */
  readonly baseUrl: string | undefined
  /** Whether the key has been found to need a rest since it was lent. */
  isResting(): boolean
  /** Lets the key rest in this process alone, for a moment: nothing is held against it. */
  pause(ms: number): void
  /** Tells how the request went, once; later calls do nothing. A refused key rests from the moment of the call. */
  report(outcome: LeaseOutcome): Promise<void>
}

/** A `ModelError` is one, too. */
export type LeaseOutcome =
  | 'ok'
  | {
      readonly code: ModelErrorCode
      /** HTTP status. */
      readonly status?: number | undefined
      /** How long the provider asked to wait, ms. */
      readonly retryAfterMs?: number | undefined
      /** The provider's text; times in it are understood. */
      readonly message?: string
    }

export type LeaseFailure = Exclude<LeaseOutcome, 'ok'>

/** Failures that are the key's own: it rests. Others are the server's, the network's or the request's. */
export function isOfTheKey({ code }: LeaseFailure): boolean {
  return code === 'rate-limited' || code === 'payment' || code === 'auth'
}

const usualStatus: Partial<Readonly<Record<ModelErrorCode, number>>> = { 'rate-limited': 429, payment: 402, auth: 401 }

/** Longest text of a provider that is kept. */
const maxMessageChars = 300

/** The status of a key that rests, as `auth.json` keeps it. Times are seconds. */
export function exhaustedStatus(failure: LeaseFailure, nowMs: number, clean: (text: string) => string): JsonRecord {
  const { code, status, retryAfterMs, message = '' } = failure
  const asked = retryAfterMs === undefined ? resetTimeMs({ text: message }, nowMs) : nowMs + Math.max(0, retryAfterMs)
  return {
    last_status: 'exhausted',
    last_status_at: nowMs / 1000,
    last_error_code: status ?? usualStatus[code] ?? null,
    last_error_reason: code.replaceAll('-', '_'),
    last_error_message: clean(message).slice(0, maxMessageChars) || null,
    last_error_reset_at: (asked ?? nowMs + cooldownMs) / 1000,
  }
}
