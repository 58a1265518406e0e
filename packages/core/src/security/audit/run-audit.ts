import { severities } from './finding.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'
import { auditChecks } from './registry.ts'

export interface AuditedFinding extends Omit<AuditFinding, 'fix'> {
  readonly isFixable: boolean
  /** What was done about it. */
  readonly fixed?: string
  /** Why that failed. */
  readonly failed?: string
}

/** Looks through an installation, the gravest first. With `fix`, what can be repaired safely is. */
export async function runAudit(subject: AuditSubject, { fix }: { readonly fix: boolean }): Promise<AuditedFinding[]> {
  const findings: AuditFinding[] = []
  for (const load of Object.values(auditChecks)) {
    subject.signal.throwIfAborted()
    const check = await load()
    findings.push(...(await check(subject)))
  }
  const sorted = findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  const audited: AuditedFinding[] = []
  for (const finding of sorted) audited.push(await outcome(finding, fix))
  return audited
}

async function outcome(finding: AuditFinding, fix: boolean): Promise<AuditedFinding> {
  const { id, severity, where, problem, remedy } = finding
  const told = { id, severity, where, problem, remedy, isFixable: finding.fix !== undefined }
  if (!fix || !finding.fix) return told
  try {
    return { ...told, fixed: await finding.fix() }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { ...told, failed: error.message }
  }
}
