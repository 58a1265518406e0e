import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '../sessions/store.ts'
import { costNote, pricePerMillion, sessionCost, turnCost, usd } from './cost-text.ts'

test('money has as many digits as say something', () => {
  assert.deepEqual([0, 0.00001, 0.0042, 0.099999, 0.37, 1204.5].map(usd), [
    '$0',
    '<$0.0001',
    '$0.0042',
    '$0.1000',
    '$0.37',
    '$1,204.50',
  ])
  assert.deepEqual([0.0036, 0.3, 15, 2.5].map(pricePerMillion), ['$0.0036', '$0.3', '$15', '$2.5'])
})

test('a turn says what its calls cost and how that is known', () => {
  const actual = { usd: 0.5, status: 'actual', source: 'provider_cost_api' } as const
  const estimated = {
    usd: 0.25,
    status: 'estimated',
    source: 'official_docs_snapshot',
    pricesAsOf: '2026-11-20',
  } as const
  const unknown = { status: 'unknown', source: 'none' } as const
  assert.equal(turnCost([]), undefined)
  assert.equal(turnCost([actual, actual]), '$1.00 (as the provider reports it)')
  assert.equal(turnCost([estimated]), '$0.25 (estimated by list prices of 2026-11-20)')
  assert.equal(turnCost([unknown]), 'unknown (no price is known)')
  assert.equal(turnCost([actual, unknown]), '$0.50 (as the provider reports it; no price is known)')
})

test('a session says how much of its cost is an estimate', () => {
  const cost = (stored: Partial<Session>) => sessionCost(stored as Session)
  assert.equal(cost({}), undefined)
  assert.equal(cost({ estimatedCostUsd: 0, costStatus: 'unknown' }), 'unknown (no price is known)')
  assert.equal(
    cost({ estimatedCostUsd: 0.5, costStatus: 'unknown' }),
    '$0.50 (not counting calls whose price is not known)',
  )
  assert.equal(cost({ estimatedCostUsd: 0, costStatus: 'included' }), '$0 (paid by a subscription, or run at home)')
  assert.equal(
    cost({ estimatedCostUsd: 1, actualCostUsd: 0.75, costStatus: 'estimated' }),
    '$1.00 ($0.25 of it estimated)',
  )
  assert.equal(
    cost({ estimatedCostUsd: 1, actualCostUsd: 1, costStatus: 'actual' }),
    '$1.00 (as the provider reports it)',
  )
})

test('a sum says what it leaves out', () => {
  const sum = { usd: 0, reportedUsd: 0, includedSessions: 0, unknownSessions: 0 }
  assert.equal(costNote(sum), '')
  assert.equal(costNote({ ...sum, usd: 2 }), 'estimated')
  assert.equal(
    costNote({ ...sum, usd: 2, reportedUsd: 2, unknownSessions: 1 }),
    'as the providers report it; not counting 1 session of unknown cost',
  )
})
