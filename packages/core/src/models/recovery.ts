import type { ModelError, ModelErrorCode } from './model-error.ts'
import { longestRetryAfterMs } from './retry.ts'

/** What is done about a failed call, once its provider has tried its other keys. */
export type Recovery =
  /** Ask for a shorter answer, for which there is room. */
  | { readonly type: 'shrink'; readonly maxOutputTokens: number }
  /** Make the same call again, later. */
  | { readonly type: 'wait' }
  /** Go on with the next model. */
  | { readonly type: 'fall-back' }
  /** Nothing helps; the failure says what people can do. */
  | { readonly type: 'stop' }

/** How a class of failures is met. */
type Policy =
  /** It passes by itself: wait a few times, then the next model. */
  | 'passing'
  /** It passes, but another model need not wait for it. */
  | 'limited'
  /** It stays with this model or account. */
  | 'lasting'
  /** It is the conversation's own: other models would say the same, or must not be asked. */
  | 'own'

const policies: Readonly<Record<ModelErrorCode, Policy>> = {
  'rate-limited': 'limited',
  overloaded: 'passing',
  server: 'passing',
  network: 'passing',
  timeout: 'passing',
  'malformed-stream': 'passing',
  auth: 'lasting',
  payment: 'lasting',
  'model-not-found': 'lasting',
  'invalid-request': 'lasting',
  'not-configured': 'lasting',
  // Made shorter, and tried again, by whoever keeps the conversation.
  'context-overflow': 'own',
  'payload-too-large': 'own',
  'content-filter': 'own',
}

/** Times one call is made again before its failure counts as lasting. */
export const maxRetries = 3

export interface Attempts {
  /** Failures of this model in a row, this one included. */
  readonly failures: number
  readonly hasFallback: boolean
  /** The most tokens that were asked for, where any limit was. */
  readonly maxOutputTokens: number | undefined
  /** Whether a shorter answer was already asked for. */
  readonly hasShrunk: boolean
}

/** The recovery of a failure, by its class and by what has been tried. */
export function recoveryOf(failure: ModelError, attempts: Attempts): Recovery {
  const { failures, hasFallback, maxOutputTokens = Infinity, hasShrunk } = attempts
  const { outputRoom: room } = failure
  if (room !== undefined && !hasShrunk && room < maxOutputTokens) return { type: 'shrink', maxOutputTokens: room }
  const policy = policies[failure.code]
  const isWorthWaiting = failures <= maxRetries && (failure.retryAfterMs ?? 0) <= longestRetryAfterMs
  if (policy === 'own') return { type: 'stop' }
  if (policy === 'passing' && isWorthWaiting) return { type: 'wait' }
  if (hasFallback) return { type: 'fall-back' }
  return policy === 'limited' && isWorthWaiting ? { type: 'wait' } : { type: 'stop' }
}
