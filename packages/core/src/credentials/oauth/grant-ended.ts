/** A grant is over: revoked, used up, or lost. Only a new sign-in helps. */
export class GrantEndedError extends Error {
  override readonly name = 'GrantEndedError'
  /** The provider's word for it, or ours (`interrupted`, `no-refresh-token`). */
  readonly reason: string
  /** The token that it ended with. */
  readonly token: string

  constructor(reason: string, token: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
    this.token = token
  }
}
