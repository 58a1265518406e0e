import type { CallCost } from './pricing.ts'
import type { CostSum, Session } from '../sessions/store.ts'

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

/** What the calls of a turn cost together, and how that is known; undefined without a call. */
export function turnCost(costs: readonly CallCost[]): string | undefined {
  if (costs.length === 0) return undefined
  const known = costs.filter((cost) => cost.usd !== undefined)
  const notes = [...new Set(costs.map(sourceNote))]
  const sum = known.reduce((total, cost) => total + (cost.usd ?? 0), 0)
  return known.length === 0 ? `unknown (${notes.join('; ')})` : `${usd(sum)} (${notes.join('; ')})`
}

/** What a session cost as it is stored; undefined where nothing is. */
export function sessionCost({ estimatedCostUsd, actualCostUsd = 0, ...known }: Session): string | undefined {
  const { costStatus: status, costSource: source } = known
  if (estimatedCostUsd === undefined && status === undefined) return undefined
  const sum = Math.max(estimatedCostUsd ?? 0, actualCostUsd)
  if (sum === 0 && status === 'unknown') return `unknown (${sourceNote({ status, source: 'none' })})`
  if (status === 'unknown') return `${usd(sum)} (not counting calls whose price is not known)`
  const estimated = sum - actualCostUsd
  if (actualCostUsd > 0 && estimated > 1e-9) return `${usd(sum)} (${usd(estimated)} of it estimated)`
  return `${usd(sum)} (${sourceNote({ status: status ?? 'estimated', source: source ?? 'none' })})`
}

function sourceNote({ status, source, pricesAsOf }: { status: string; source: string; pricesAsOf?: string }): string {
  if (status === 'actual') return 'as the provider reports it'
  if (status === 'included') return 'paid by a subscription, or run at home'
  if (status === 'unknown') return 'no price is known'
  const whose = source === 'provider_models_api' ? "the provider's prices" : 'list prices'
  return `estimated by ${whose}${pricesAsOf === undefined ? '' : ` of ${pricesAsOf}`}`
}
