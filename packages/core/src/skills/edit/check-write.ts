import { describeFindings, verdictOf } from '../guard/finding.ts'
import type { GuardFinding, GuardReport, GuardVerdict } from '../guard/finding.ts'
import { guardDecision } from '../guard/policy.ts'
import { scanFiles } from '../guard/scan-files.ts'
import type { GuardFile } from '../guard/scan-files.ts'
import { SkillError } from '../skill-error.ts'

/** What the guard said of a write that was let through. */
export interface WriteReview {
  readonly verdict: GuardVerdict
  /** What the write brings in that was not there. */
  readonly findings: readonly GuardFinding[]
}

export interface WriteCheck {
  readonly before: readonly GuardFile[]
  /** A file's new bytes by path; undefined: it is removed. */
  readonly change: { readonly path: string; readonly bytes: Uint8Array | undefined }
  /** Asks the person whether something dangerous may be written; without an answer it may not. */
  readonly consent: (findings: readonly GuardFinding[]) => Promise<boolean>
}

/**
 * Looks through a skill as it would be after a write, before anything is written. Only what the write brings in counts.
 * Throws `SkillError` `unsafe` when it must not be written.
 */
export async function reviewWrite({ before, change, consent }: WriteCheck): Promise<WriteReview> {
  const { path, bytes } = change
  const others = before.filter((file) => file.path !== path)
  const after = bytes ? [...others, { path, bytes, size: bytes.length }] : others
  const known = new Set(scanFiles(before).findings.map(keyOf))
  const findings = scanFiles(after).findings.filter((finding) => !known.has(keyOf(finding)))
  const verdict = verdictOf(findings)
  const decision = guardDecision('agent-created', verdict)
  if (decision === 'allow' || (decision === 'ask' && (await consent(findings)))) return { verdict, findings }
  throw refused({ verdict, findings, files: after.length })
}

function keyOf({ rule, file, excerpt }: GuardFinding): string {
  return `${rule}\n${file}\n${excerpt}`
}

function refused({ findings, verdict }: GuardReport): SkillError {
  return new SkillError(
    'unsafe',
    `The guard refuses this; nothing was written. Leave it out, or ask your person to write it themselves.\n${describeFindings(findings)}`,
    { verdict },
  )
}
