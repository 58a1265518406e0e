/** `unconfigured`: a setting is missing. `refused`: the service said no. `unreachable`: it did not answer. */
export type MemoryProviderErrorCode = 'unconfigured' | 'refused' | 'unreachable' | 'invalid'

export interface MemoryProviderErrorDetails extends ErrorOptions {
  /** HTTP status that the service answered with. */
  readonly status?: number
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number
}

/** A memory provider could not do what was asked; the message says what a person can do. Never holds a key. */
export class MemoryProviderError extends Error {
  override readonly name = 'MemoryProviderError'
  readonly code: MemoryProviderErrorCode
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: MemoryProviderErrorCode, message: string, details: MemoryProviderErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
  }
}
