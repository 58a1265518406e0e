import type { CostSum } from '@hermes/core/sessions/store.ts'

/** USD with as many digits as say something: `$0`, `$0.0042`, `$0.37`, `$1,204.50`. */
export function usd(amount: number): string {
  if (amount === 0) return '$0'
  if (amount < 0.00005) return '<$0.0001'
  if (amount < 0.1) return `$${amount.toFixed(4)}`
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** A price for a million tokens: `$0.0036`, `$0.3`, `$15`. */
export function pricePerMillion(amount: number): string {
  return `$${Number(amount.toPrecision(4))}`
}

/** How sure a sum is: `reported`, `estimated`, `$0.12 of it estimated`, and the sessions that it leaves out. */
export function costNote({ usd: known, reportedUsd, includedSessions, unknownSessions }: CostSum): string {
  const estimated = Math.max(0, known - reportedUsd)
  const notes = [
    estimated === 0 || known === 0 ? undefined : reportedUsd === 0 ? 'estimated' : `${usd(estimated)} of it estimated`,
    known > 0 && estimated === 0 ? 'as the providers report it' : undefined,
    includedSessions > 0 ? `${sessions(includedSessions)} paid by a subscription or run at home` : undefined,
    unknownSessions > 0 ? `not counting ${sessions(unknownSessions)} of unknown cost` : undefined,
  ]
  return notes.filter((note) => note !== undefined).join('; ')
}

function sessions(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`
}
