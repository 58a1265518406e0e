import { dirname } from 'node:path'
import { describeFindings } from '../../skills/guard/finding.ts'
import { readFolder } from '../../skills/guard/read-folder.ts'
import { scanFiles } from '../../skills/guard/scan-files.ts'
import { listSkills } from '../../skills/hub/installed-list.ts'
import type { ListedSkill } from '../../skills/hub/installed-list.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'

/** Skills that were changed since they were looked through, or that the guard would not take today. */
export async function checkSkills({
  home,
  config,
  environment,
  signal,
}: AuditSubject): Promise<readonly AuditFinding[]> {
  const findings: AuditFinding[] = []
  for (const skill of await listSkills({ home, config, environment })) {
    signal.throwIfAborted()
    if (skill.state !== 'on' || (skill.source === 'builtin' && !skill.isModified)) continue
    findings.push(...(await aboutSkill(skill)))
  }
  return findings
}

async function aboutSkill({ name, source, isModified, path }: ListedSkill): Promise<AuditFinding[]> {
  const { verdict, findings } = scanFiles(await readFolder(dirname(path)))
  if (verdict === 'dangerous') {
    return [
      {
        id: 'dangerous-skill',
        severity: 'high',
        where: path,
        problem: `The skill ${name} holds what the guard refuses: ${describeFindings(findings, 1).replaceAll('\n', '; ')}.`,
        remedy: `Look at it; then "hermes skills uninstall ${name}", or "hermes skills config --disable ${name}".`,
      },
    ]
  }
  if (source !== 'hub' || !isModified) return []
  return [
    {
      id: 'changed-skill',
      severity: 'medium',
      where: path,
      problem: `The skill ${name} is not what was installed: somebody changed it here.`,
      remedy: `If it was not you, "hermes skills update ${name}" fetches it anew.`,
    },
  ]
}
