import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import type { NetworkSettings } from '../../security/network/network-rules.ts'
import type { Redactor } from '../../security/redact.ts'

/** What references are resolved with. */
export interface AttachmentSources {
  readonly home: Home
  readonly environment: Environment
  readonly redactor: Redactor
  /** Relative paths start here, and nothing outside it is attached. */
  readonly workspace: string
  /** What may be fetched: `config.security`. */
  readonly networkSettings: NetworkSettings
  readonly signal: AbortSignal
}

/** What a reference comes to. */
export interface Attachment {
  readonly icon: string
  /** Markdown. */
  readonly text: string
}

export type AttachmentErrorCode =
  | 'not-found'
  /** Outside of the workspace. */
  | 'outside'
  /** Credentials and the like. */
  | 'sensitive'
  /** No text, or not the kind of thing that was named. */
  | 'wrong-kind'
  | 'too-large'
  /** The lines are not there. */
  | 'lines'
  /** It tries to steer the agent. */
  | 'unsafe'
  | 'git'
  /** A web page that may not be fetched. */
  | 'refused'
  | 'unreadable'

/** A reference cannot be attached. `message` is for people and for the model, without the reference's own name. */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError'
  readonly code: AttachmentErrorCode

  constructor(code: AttachmentErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Most that one reference may be, bytes: beyond every context window that there is. */
export const maxAttachmentBytes = 4 * 1024 * 1024

/** A text in a fence that nothing in it can close. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}
