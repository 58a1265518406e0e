import type { ModelError } from '../model-error.ts'

/** Where the keys of a place's calls come from. */
export interface Keys {
  forCall(): CallKeys
}

/** The keys of one call, tried one after the other. */
export interface CallKeys {
  /**
   * The key for the next try: the last one again, unless it failed or is stale. Where there is none for a moment, what to wait for.
   * Throws `ModelError` when there is none; when `signal` aborts, its reason.
   */
  next(signal: AbortSignal): Promise<CallKey | KeyRecovery>
  /** Whether the last key may not be used any more: another call has found it used up meanwhile. */
  isStale(): boolean
  /** Told when the last try went well. */
  worked(): Promise<void>
  /** What to do about a failure of the last try; undefined where another key, or the same one again, is of no use. */
  failed(failure: ModelError, signal: AbortSignal): Promise<KeyRecovery | undefined>
}

/** A key as one try uses it. */
export interface CallKey {
  readonly secret: string | undefined
  /** Where the call goes, when that depends on the key. */
  readonly baseUrl?: string
  /** Where it is set, as a sentence for people, when the place cannot know. */
  readonly hint?: string
  /** What people call it, where a provider may have several. */
  readonly label?: string
}

/** The call is made again, with the key that `next` gives then. */
export interface KeyRecovery {
  /** How long to wait before, ms. */
  readonly afterMs: number
  /** What people are told. */
  readonly notice: string
}

/** One key, or none: whatever fails, there is no other. */
export function fixedKey(secret: string | undefined, baseUrl?: string): Keys {
  const key: CallKey = { secret, baseUrl }
  const call: CallKeys = {
    next: async () => key,
    isStale: () => false,
    worked: async () => {},
    failed: async () => undefined,
  }
  return { forCall: () => call }
}
