export type HubErrorCode =
  /** Nothing of that name, or nothing that is a skill. */
  | 'not-found'
  /** Several skills are meant. */
  | 'ambiguous'
  /** The identifier, name, address or archive is none that can be used. */
  | 'invalid'
  /** The service could not be reached. */
  | 'offline'
  | 'rate-limited'
  /** The service wants a token, or another one. */
  | 'auth'
  /** The service answered something that cannot be understood, or failed. */
  | 'bad-answer'
  | 'too-large'
  /** The guard's verdict forbids it. */
  | 'blocked'
  /** Its person said no. */
  | 'declined'
  /** There is a skill of that name already. */
  | 'exists'
  /** Its files were changed here. */
  | 'modified'

/** Something with the skills of others did not work; nothing was changed. `message` says what to do next. */
export class HubError extends Error {
  override readonly name = 'HubError'
  readonly code: HubErrorCode

  constructor(code: HubErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
