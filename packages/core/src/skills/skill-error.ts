export type SkillErrorCode =
  /** No skill, or no file in it, of that name. */
  | 'not-found'
  /** There is one already. */
  | 'exists'
  /** The name, path or text is none that can be used. */
  | 'invalid'
  /** It is switched off, or is for another system. */
  | 'unavailable'
  /** It lies in a folder that is only read. */
  | 'read-only'
  /** The guard, or the scan for injections, refuses it. */
  | 'unsafe'
  /** Its files were changed here, so that an update would lose something. */
  | 'modified'

/** A skill cannot be read or changed; nothing was changed. `message` says what to do. */
export class SkillError extends Error {
  override readonly name = 'SkillError'
  readonly code: SkillErrorCode
  /** Facts beside the message, in the form of a tool's result. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: SkillErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.details = details
  }
}
