/** `unconfigured`: a setting is missing. `refused`: the service said no. `unreachable`: it did not answer. */
export type MemoryProviderErrorCode = 'unconfigured' | 'refused' | 'unreachable' | 'invalid'

/** A memory provider could not do what was asked; the message says what a person can do. Never holds a key. */
export class MemoryProviderError extends Error {
  override readonly name = 'MemoryProviderError'
  readonly code: MemoryProviderErrorCode

  constructor(code: MemoryProviderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
