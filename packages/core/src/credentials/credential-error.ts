export type CredentialErrorCode =
  /** There is no credential for the provider. */
  | 'none'
  /** Every credential that could be used is cooling down; `availableAtMs` says until when. */
  | 'cooling'
  /** What there is has ended for good (revoked, expired without a way to renew it): sign in again. */
  | 'sign-in'
  /** A token could not be renewed just now; trying later may help. */
  | 'refresh'
  /** The person, or the provider, said no. */
  | 'denied'
  /** A sign-in took longer than its code or its time limit allows. */
  | 'timeout'
  /** The answer to a sign-in does not belong to it. */
  | 'state-mismatch'
  /** The provider answered with something that cannot be used. */
  | 'refused'
  /** There is no such provider, or no such way to sign in to it. */
  | 'unknown-provider'
  /** No, or more than one, credential is meant by what was given. */
  | 'not-found'
  /** What was given is no usable secret. */
  | 'bad-secret'

/** A credential could not be had. Callers branch on `code`; people read `message`, which holds no secret. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
  readonly code: CredentialErrorCode
  /** When the first cooling credential can be used again, ms since the epoch. Only with `cooling`. */
  readonly availableAtMs: number | undefined

  constructor(
    code: CredentialErrorCode,
    message: string,
    options: { readonly availableAtMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.availableAtMs = options.availableAtMs
  }
}
