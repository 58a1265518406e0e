export type ServiceErrorCode =
  /** A setting is missing or of no use; nothing was sent. */
  | 'unconfigured'
  /** The key was refused. */
  | 'auth'
  | 'rate-limited'
  /** The service said no for another reason. */
  | 'refused'
  /** No connection, or the service is out of order. */
  | 'unreachable'
  | 'timeout'
  /** The answer is longer than what is taken. */
  | 'too-large'
  /** The answer is not in the form that is known. */
  | 'malformed'

export interface ServiceErrorDetails extends ErrorOptions {
  /** HTTP status that the service answered with. */
  readonly status?: number
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number
}

/** A service did not do what was asked of it; the message says what a person can do. Never holds a key. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ServiceErrorCode
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
  }
}
