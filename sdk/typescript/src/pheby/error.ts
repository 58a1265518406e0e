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

/** What an `error` of the server says. */
export function errorOf({ error }: { readonly error?: Partial<Record<'code' | 'message', string>> }): PhebyError {
  return new PhebyError(error?.code ?? 'internal_error', error?.message ?? 'The server does not say what went wrong.')
}
