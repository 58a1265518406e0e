export type FileSafetyCode =
  /** The path is empty or holds what no path can. */
  | 'invalid'
  /** Credentials, system files and the like. */
  | 'protected'
  /** Outside `HERMES_WRITE_SAFE_ROOT`. */
  | 'outside-root'
  /** A device, pipe or socket. */
  | 'special-file'
  /** Too many links, or a link that cannot be followed. */
  | 'unresolvable'
  /** What is there now is not what was checked. */
  | 'changed'

/** A path may not be used that way. `message` is for the model. */
export class FileSafetyError extends Error {
  override readonly name = 'FileSafetyError'
  readonly code: FileSafetyCode

  constructor(code: FileSafetyCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
