import type { TimeLimits } from '../net/watch.ts'
import type { Dialect } from './dialect.ts'

/** One place that serves models, whatever wire it speaks. */
export interface Place {
  /** Registry key, e.g. `openrouter`. */
  readonly name: string
  /** What people call it, e.g. `OpenRouter`. */
  readonly label: string
  /** Without a slash at the end, e.g. `https://openrouter.ai/api/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Where its key is set, as a sentence for people. Never the key. */
  readonly keyHint: string
  /** Whether it is this machine or one beside it: it may think for minutes, and it may simply not be running. */
  readonly isLocal: boolean
  /** Time limits of a call, by the size of its request. */
  readonly limits: (requestBytes: number) => TimeLimits
}

/** One place that speaks chat completions. */
export interface Endpoint extends Place {
  readonly dialect: Dialect
}
