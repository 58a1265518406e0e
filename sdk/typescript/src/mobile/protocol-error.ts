/** The server did not do something, or refused. `<code>: <message>` as text. */
export class HermesProtocolError extends Error {
  override readonly name = 'HermesProtocolError'
  /** Stable, for programs: `auth_failed`, `bad_frame`, `too_big` and others. */
  readonly code: string
  /** For people. */
  readonly text: string
  /** Trying again is pointless. */
  readonly fatal: boolean

  constructor(code: string, text: string, fatal = false) {
    super(`${code}: ${text}`)
    this.code = code
    this.text = text
    this.fatal = fatal
  }
}
