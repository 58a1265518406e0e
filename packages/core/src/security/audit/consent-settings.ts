import { isForModels } from '../consent/smart-judge.ts'
import { isSwitchedOn } from './finding.ts'
import type { AuditFinding, AuditSubject } from './finding.ts'

/** Settings that give up a protection. They are somebody's choice, so none is changed back. */
export function checkConsentSettings({ config, environment, cwd }: AuditSubject): readonly AuditFinding[] {
  const { approvals, security, command_allowlist: allowlist } = config
  const grave = allowlist.filter((key) => !isForModels('', [{ key, permanent: true }], cwd))
  const isYolo = isSwitchedOn(environment['HERMES_YOLO_MODE'])
  const findings: readonly (AuditFinding | false)[] = [
    // The variable sets approvals.mode too; one finding is enough.
    approvals.mode === 'off' &&
      !isYolo && {
        id: 'approvals-off',
        severity: 'high',
        where: 'approvals.mode',
        problem: 'It is off: dangerous commands run without anybody being asked.',
        remedy: 'hermes config set approvals.mode manual',
      },
    isYolo && {
      id: 'yolo',
      severity: 'high',
      where: 'HERMES_YOLO_MODE',
      problem: 'It is on: dangerous commands run without anybody being asked, in every session.',
      remedy: 'Remove it from .env and from your shell’s settings; /yolo switches it on for one session.',
    },
    approvals.trust_containers && {
      id: 'containers-trusted',
      severity: 'low',
      where: 'approvals.trust_containers',
      problem: 'Nobody is asked about what runs in a container; folders that are mounted into it are not protected.',
      remedy: 'hermes config set approvals.trust_containers false',
    },
    !security.redact_secrets && {
      id: 'redaction-off',
      severity: 'high',
      where: 'security.redact_secrets',
      problem: 'Keys and passwords reach models, logs and chats as they are.',
      remedy: 'hermes config set security.redact_secrets true, and remove HERMES_REDACT_SECRETS from .env.',
    },
    security.allow_private_urls && {
      id: 'private-urls-allowed',
      severity: 'medium',
      where: 'security.allow_private_urls',
      problem: 'Any page can have the agent fetch from this machine and its network.',
      remedy: 'Set it to false, and name the hosts that you need in security.allowed_private_hosts.',
    },
    grave.length > 0 && {
      id: 'grave-commands-allowed',
      severity: 'medium',
      where: 'command_allowlist',
      problem: `These run without anybody being asked, whatever they are aimed at: ${grave.join(', ')}.`,
      remedy: 'Remove those that you do not need daily; a yes for one session is asked for when it matters.',
    },
  ]
  return findings.filter((finding) => finding !== false)
}
