import type { TextKind } from '../injection/pattern.ts'
import { scanText } from '../injection/scan.ts'
import type { Redactor } from '../redact.ts'
import type { Verdict } from './verdict.ts'

export const textKinds = ['context', 'skill', 'memory', 'page', 'code'] as const satisfies readonly TextKind[]

export interface TextVerdict extends Verdict {
  /** Ids of what tries to steer the agent. */
  readonly findings: readonly string[]
  /** The text as a model or a log would see it. */
  readonly redacted: string
  /** How many secrets are hidden in it. */
  readonly secrets: number
}

const placeholder = /«secret:[^»\n]{1,100}»/g

/** What would be made of a text that the agent comes upon: whether it is withheld, and which secrets are hidden. */
export function checkText(text: string, kind: TextKind, redactor: Redactor): TextVerdict {
  const findings = scanText(text, kind)
  const redacted = redactor.redact(text)
  const hidden = (redacted.match(placeholder) ?? []).length - (text.match(placeholder) ?? []).length
  return {
    decision: findings.length > 0 ? 'denied' : 'allowed',
    reason:
      findings.length > 0
        ? `it tries to steer the agent (${findings.join(', ')})`
        : 'nothing in it tries to steer the agent',
    findings,
    redacted,
    secrets: Math.max(0, hidden),
  }
}
