import { isSwitchedOn } from './finding.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'

/** Whether strangers may write to the agent. */
export function checkAccess({ environment, config }: AuditSubject): readonly AuditFinding[] {
  const entries = Object.entries(environment)
  const everybody = entries.filter(([name, value]) => /_ALLOW_ALL_(?:USERS|DEVICES)$/.test(name) && isSwitchedOn(value))
  const stars = entries.filter(
    ([name, value]) => /_ALLOWED_(?:USERS|DEVICES)$/.test(name) && value?.split(',').some((one) => one.trim() === '*'),
  )
  const findings: AuditFinding[] = [...everybody, ...stars].map(([name]) => ({
    id: 'open-to-everybody',
    severity: 'high',
    where: name,
    problem: `Everybody ${name.startsWith('GATEWAY_') ? 'on every platform' : `on ${name.replace(/_ALLOW.*$/, '').toLowerCase()}`} can give the agent tasks on this machine.`,
    remedy: `Name the people in ${name.replace('_ALLOW_ALL_', '_ALLOWED_')}, or let them pair.`,
  }))
  if (config.slack.allow_bots === 'all') {
    findings.push({
      id: 'bots-heard',
      severity: 'low',
      where: 'slack.allow_bots',
      problem: 'Any bot of the workspace can give the agent tasks; two of them can talk for ever.',
      remedy: 'hermes config set slack.allow_bots mentions',
    })
  }
  return findings
}
