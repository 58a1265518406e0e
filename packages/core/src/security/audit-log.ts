import type { ToolContext } from '../tools/tool.ts'
import { createRotatingFile } from '../log/rotating-file.ts'
import type { ConsentQuestion, Decider } from './consent/consent.ts'

/** Size at which the log is put aside, bytes. */
const maxBytes = 5 * 1024 * 1024
/** Older logs that are kept: `.1` is the newest of them. */
export const auditLogBackups = 3

/** Longest subject in a line, characters. */
const shownChars = 2_000

/** A line of `logs/audit.jsonl`. */
export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly time: string
  readonly session: string
  readonly platform: string
  readonly kind: ConsentQuestion['kind']
  /** Secrets redacted. */
  readonly subject: string
  readonly dangers: readonly string[]
  readonly decision: 'allowed' | 'denied'
  readonly by: Decider
  /** How long a person's yes holds: `once`, `session`, `always`. */
  readonly scope?: string
}

export interface AuditedDecision {
  readonly question: ConsentQuestion
  readonly decider: Decider
  readonly decision: 'allowed' | 'denied'
  readonly scope?: string
}

/** Writes down who decided what. A log that cannot be written is told in the agent's own log and stops nothing. */
export function auditDecision({ question, decider, decision, scope }: AuditedDecision, context: ToolContext): void {
  const { agent, session, turn } = context
  const subject = agent.redactor.redact(question.subject)
  const entry: AuditEntry = {
    time: new Date(agent.clock.now()).toISOString(),
    session: session.sessionId,
    platform: turn.request.face.name,
    kind: question.kind,
    subject: subject.length > shownChars ? `${subject.slice(0, shownChars)} …`.toWellFormed() : subject,
    dangers: question.dangers.map(({ key }) => key),
    decision,
    by: decider,
    ...(scope && { scope }),
  }
  try {
    const file = createRotatingFile({
      path: agent.home.path('logs', 'audit.jsonl'),
      maxBytes,
      backups: auditLogBackups,
      mode: 0o600,
    })
    file.append([`${JSON.stringify(entry)}\n`])
  } catch (error) {
    agent.log.error({ error: String(error) }, 'the audit log cannot be written')
  }
}
