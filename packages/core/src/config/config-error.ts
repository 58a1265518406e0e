export type ConfigErrorCode =
  /** A file is there, but cannot be read. */
  | 'unreadable'
  /** The file is no YAML, or no mapping. */
  | 'syntax'
  /** One or more settings have values that are not accepted. */
  | 'invalid'
  | 'unknown-key'
  /** The change cannot be made without touching more of the file than was asked. */
  | 'edit-by-hand'
  /** Something else manages this installation's files. */
  | 'managed'
  /** A variable's name or value cannot stand in `.env`. */
  | 'bad-variable'

/** One setting that is wrong. */
export interface ConfigIssue {
  /** Dotted, e.g. `agent.max_turns`; empty for the file as a whole. */
  readonly key: string
  /** Where it stands: `config.yaml line 9`, `HERMES_MAX_ITERATIONS` … */
  readonly where: string
  /** What was wrong and what is accepted. */
  readonly message: string
}

/** The configuration cannot be used, or a change of it was refused; then nothing was changed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code: ConfigErrorCode
  readonly issues: readonly ConfigIssue[]

  constructor(
    code: ConfigErrorCode,
    message: string,
    { issues = [], cause }: { issues?: readonly ConfigIssue[]; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.issues = issues
  }
}

/** An `invalid` error that tells all issues, one a line. */
export function invalidConfig(issues: readonly ConfigIssue[]): ConfigError {
  const lines = issues.map(({ key, where, message }) => `${key} (${where}): ${message}`)
  return new ConfigError('invalid', `The configuration has wrong values.\n  ${lines.join('\n  ')}`, { issues })
}
