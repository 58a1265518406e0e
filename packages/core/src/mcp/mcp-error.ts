export type McpErrorCode =
  /** The settings of the server cannot be used. */
  | 'not-configured'
  /** It could not be started or reached, or went away. */
  | 'unreachable'
  | 'timeout'
  /** It wants a person to sign in. */
  | 'sign-in-needed'
  /** Its package is known to be malware. */
  | 'blocked'
  /** It answered, and said no. */
  | 'refused'

/** Something with an MCP server went wrong. Callers branch on `code`; `message` has no credentials in it. */
export class McpError extends Error {
  override readonly name = 'McpError'
  readonly code: McpErrorCode

  constructor(code: McpErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
