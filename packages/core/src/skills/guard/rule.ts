/** What a skill could do that its user did not ask for. */
export type GuardCategory =
  | 'exfiltration'
  | 'injection'
  | 'destructive'
  | 'persistence'
  | 'network'
  | 'obfuscation'
  | 'execution'
  | 'traversal'
  | 'mining'
  | 'supply_chain'
  | 'privilege_escalation'
  | 'credential_exposure'
  /** The files themselves: number, size, links, binaries. */
  | 'structure'

export type GuardSeverity = 'critical' | 'high' | 'medium' | 'low'

/**
 * One thing that the guard looks for in a skill's text. Every repetition of a pattern is bounded, so that no text takes
 * long. Injections are searched for in the whole text, since a sentence may be broken anywhere; everything else line by line.
 */
export interface GuardRule {
  readonly id: string
  readonly category: GuardCategory
  readonly severity: GuardSeverity
  readonly pattern: RegExp
  /** What it means, for people. */
  readonly meaning: string
}

/** A rule without its category, as the tables have it. */
export type RuleRow = readonly [id: string, severity: GuardSeverity, pattern: RegExp, meaning: string]

/** Gives a table's rows their category. */
export function rulesOf(category: GuardCategory, rows: readonly RuleRow[]): GuardRule[] {
  return rows.map(([id, severity, pattern, meaning]) => ({ id, category, severity, pattern, meaning }))
}
