/** The server did not do a request, or the connection was lost before its answer (`disconnected`). */
export class PhebyError extends Error {
  override readonly name = 'PhebyError'
  /** Stable, for programs: a code of the protocol, `disconnected` or `timeout`. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
