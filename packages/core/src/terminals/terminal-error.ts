export type TerminalErrorCode =
  /** The backend does not exist in this version. */
  | 'not-implemented'
  /** The directory asked for is not there. */
  | 'no-such-directory'
  /** The shell could not be started. */
  | 'spawn-failed'
  /** More background processes than are kept track of. */
  | 'too-many'
  /** The terminal, or the input that was written to, was closed. */
  | 'closed'

/** A terminal could not run a command. A command that runs and fails is no error. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
  readonly code: TerminalErrorCode

  constructor(code: TerminalErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
