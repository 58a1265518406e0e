import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUsage, noUsage } from '../model.ts'
import { toUsage } from './usage.ts'

test('what a call cost is taken from where it is told, and from nowhere else', () => {
  const cost = (counts: Record<string, unknown>) => toUsage({ prompt_tokens: 5, ...counts }).costUsd
  assert.equal(cost({ cost: 0.0125 }), 0.0125)
  assert.equal(cost({ cost: 0 }), 0)
  assert.equal(cost({}), undefined)
  assert.equal(cost({ cost: 'free' }), undefined)
})

test('with a key of one’s own at the provider, its charge is added to the fee', () => {
  const byok = { cost: 0.001, is_byok: true }
  assert.equal(toUsage({ ...byok, cost_details: { upstream_inference_cost: 0.02 } }).costUsd, 0.021)
  assert.equal(toUsage({ ...byok, cost_details: { upstream_inference_cost: null } }).costUsd, undefined)
})

test('costs add up like tokens, and stay unknown where no call told one', () => {
  const told = { ...noUsage, costUsd: 0.25 }
  assert.equal(addUsage(addUsage(noUsage, told), told).costUsd, 0.5)
  assert.ok(!('costUsd' in addUsage(noUsage, noUsage)))
})
