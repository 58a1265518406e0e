import type { TimeLimits } from '../net/watch.ts'

/** One place that serves models, whatever wire it speaks. */
export interface Place {
  /** Registry key, e.g. `openrouter`. */
  readonly name: string
  /** What people call it, e.g. `OpenRouter`. */
  readonly label: string
  /** Without a slash at the end, e.g. `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  /** Where its key is set, as a sentence for people. Never the key. */
  readonly keyHint: string
  /** Whether it is this machine or one beside it: it may think for minutes, and it may simply not be running. */
  readonly isLocal: boolean
  /** Time limits of a call, by the size of its request. */
  readonly limits: (requestBytes: number) => TimeLimits
  /** Whether a subscription pays for the calls of a key. */
  readonly isSubscription?: (call: CallTarget) => boolean
}

/** Where a call goes, and with which key. */
export interface CallTarget {
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

/** A place as one call uses it. */
export interface KeyedPlace extends Place, CallTarget {
  readonly baseUrl: string
  /** What people call the key, where there may be several. */
  readonly keyLabel?: string
}
