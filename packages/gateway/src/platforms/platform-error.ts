/**
 * `unreachable`: the network or the service failed before it can have taken the call. `uncertain`: it may have.
 * `rate-limited`: wait `retryAfterMs`. `refused`: it will not do this, ever. `unauthorised`: the token is no good.
 * `conflict`: another process uses the token. `too-long`, `bad-format`: the text is at fault. `gone`: the chat, thread or
 * message is not there any more.
 */
export type PlatformErrorCode =
  | 'unreachable'
  | 'uncertain'
  | 'rate-limited'
  | 'refused'
  | 'unauthorised'
  | 'conflict'
  | 'too-long'
  | 'bad-format'
  | 'gone'

/** Longest wait that a service is believed, ms: what waits longer is not sent any more, and timers take no more. */
export const maxRetryAfterMs = 24 * 3_600_000

/** A service did not do what was asked. The message says what a person can do and holds no token. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: PlatformErrorCode
  /** How long the service wants no calls, ms: none that nobody could wait for. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: PlatformErrorCode,
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    const isSaid = retryAfterMs !== undefined && !Number.isNaN(retryAfterMs)
    this.retryAfterMs = isSaid ? Math.min(maxRetryAfterMs, Math.max(0, retryAfterMs)) : undefined
  }
}
