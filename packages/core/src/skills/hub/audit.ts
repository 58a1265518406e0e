import { join } from 'node:path'
import { existsSync } from 'node:fs'
import type { GuardFinding, GuardVerdict } from '../guard/finding.ts'
import { guardDecision } from '../guard/policy.ts'
import type { GuardDecision, SkillTrust } from '../guard/policy.ts'
import { readFolder } from '../guard/read-folder.ts'
import { scanFiles } from '../guard/scan-files.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import { folderContentHash } from '../store/folder-hash.ts'
import { readLockFile } from '../store/lock-file.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'

/** What the guard says now of an installed skill. */
export interface AuditResult {
  readonly name: string
  readonly trust: string
  readonly verdict: GuardVerdict
  readonly decision: GuardDecision
  readonly findings: readonly GuardFinding[]
  readonly isModified: boolean
}

/** Looks through installed skills again, or through one, with the rules of today. Fetches nothing. */
export async function auditSkills({ home }: Hub, name: string | undefined): Promise<AuditResult[]> {
  const installed = Object.entries(await readLockFile(home))
  const wanted = name === undefined ? installed : installed.filter(([skill]) => skill === name)
  if (name !== undefined && wanted.length === 0)
    throw new HubError('not-found', `No skill "${name}" is installed from a source.`)
  const results: AuditResult[] = []
  for (const [skill, entry] of wanted) {
    const folder = join(homeSkillsFolder(home), entry.install_path)
    if (!existsSync(folder)) continue
    const { verdict, findings } = scanFiles(await readFolder(folder))
    // Of an entry that somebody wrote by hand nothing is believed.
    const trust: SkillTrust =
      entry.trust_level === 'builtin' || entry.trust_level === 'trusted' ? entry.trust_level : 'community'
    const isModified = (await folderContentHash(folder)) !== entry.content_hash
    results.push({ name: skill, trust, verdict, decision: guardDecision(trust, verdict), findings, isModified })
  }
  return results
}
