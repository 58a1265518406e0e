import type { GuardCategory, GuardSeverity } from './rule.ts'

/** One thing that the guard found. */
export interface GuardFinding {
  readonly rule: string
  readonly category: GuardCategory
  readonly severity: GuardSeverity
  /** Path within the skill. */
  readonly file: string
  /** From 1; 0 where the file as a whole is meant. */
  readonly line: number
  readonly meaning: string
  /** The text that was found, cut short; secrets are left out. */
  readonly excerpt: string
}

/** `safe`: nothing was found; `dangerous`: something critical; `caution`: anything else. */
export type GuardVerdict = 'safe' | 'caution' | 'dangerous'

export interface GuardReport {
  readonly verdict: GuardVerdict
  readonly findings: readonly GuardFinding[]
  readonly files: number
}

export function verdictOf(findings: readonly GuardFinding[]): GuardVerdict {
  if (findings.length === 0) return 'safe'
  return findings.some(({ severity }) => severity === 'critical') ? 'dangerous' : 'caution'
}

/** What was found, for people: one line each, the gravest first. */
export function describeFindings(findings: readonly GuardFinding[], most = 10): string {
  const order = ['critical', 'high', 'medium', 'low']
  const sorted = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  const lines = sorted.slice(0, most).map(({ severity, category, file, line, meaning, excerpt }) => {
    const place = line > 0 ? `${file}:${line}` : file
    return `${severity} (${category}) ${place}: ${meaning}${excerpt === '' ? '' : `: ${excerpt}`}`
  })
  const left = findings.length - lines.length
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n')
}
