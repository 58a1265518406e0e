/** Classes of model failure; each has one recovery. */
export type ModelErrorCode =
  | 'not-configured'
  | 'auth'
  | 'payment'
  | 'rate-limited'
  | 'overloaded'
  | 'server'
  | 'network'
  | 'timeout'
  | 'context-overflow'
  | 'payload-too-large'
  | 'invalid-request'
  | 'model-not-found'
  | 'content-filter'
  | 'malformed-stream'

/** Failures that the same call may survive when it is made again. */
const transient: ReadonlySet<ModelErrorCode> = new Set([
  'rate-limited',
  'overloaded',
  'server',
  'network',
  'timeout',
  'malformed-stream',
])

/** A model call failed. Callers branch on `code`; people read `message`, which says what to do next. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly code: ModelErrorCode
  /** HTTP status, where there was one. */
  readonly status: number | undefined
  /** How long the provider asked us to wait, ms. */
  readonly retryAfterMs: number | undefined
  /** How many tokens the answer may have, when the request asked for more than there is room or credit for. */
  readonly outputRoom: number | undefined

  constructor(
    code: ModelErrorCode,
    message: string,
    options: { status?: number; retryAfterMs?: number; outputRoom?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.outputRoom = options.outputRoom
  }

  /** Whether making the same call again can help. */
  get isTransient(): boolean {
    return transient.has(this.code)
  }
}
