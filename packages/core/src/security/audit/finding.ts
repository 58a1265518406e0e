import type { Profile } from '../../config/open-profile.ts'

/** From the gravest; `info` is good to know and no fault. */
export const severities = ['high', 'medium', 'low', 'info'] as const
export type Severity = (typeof severities)[number]

/** Something about an installation that is less safe than it could be. */
export interface AuditFinding {
  /** Stable, e.g. `file-open-to-others`. */
  readonly id: string
  readonly severity: Severity
  /** The file, variable or setting. */
  readonly where: string
  /** What it is and why it matters. */
  readonly problem: string
  /** What to do about it. */
  readonly remedy: string
  /** Does it, where that can break nothing. Resolves to what was done. */
  fix?(): Promise<string>
}

/** What is looked at. */
export interface AuditSubject extends Pick<Profile, 'home' | 'config' | 'environment' | 'fromFile'> {
  /** The folder that `hermes` was started in. */
  readonly cwd: string
  readonly signal: AbortSignal
}

/** One kind of question about an installation. */
export type AuditCheck = (subject: AuditSubject) => Promise<readonly AuditFinding[]> | readonly AuditFinding[]

/** Whether a variable is switched on. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase())
}
