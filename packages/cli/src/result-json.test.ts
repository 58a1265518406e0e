import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noUsage } from '@hermes/core/models/model.ts'
import { resultJson } from './result-json.ts'

const end = {
  type: 'turn-end',
  status: 'completed',
  text: 'Done.\n',
  usage: noUsage,
  modelCalls: 2,
  durationMs: 12.6,
} as const

const call = { type: 'usage', usage: noUsage, contextTokens: 1, contextLength: 2 } as const

test('programs read what a task cost, and what is left of the limits that were told last', () => {
  const resetsAtMs = Date.UTC(2026, 0, 1)
  const limits = [{ name: 'requests', used: 0.5, limit: 10, remaining: 5, resetsAtMs }]
  const calls = [
    { ...call, cost: { usd: 0.25, status: 'estimated', source: 'official_docs_snapshot' } },
    { ...call, cost: { status: 'unknown', source: 'none' }, rateLimits: { provider: 'p', toldAtMs: 1, limits } },
    { ...call, cost: { usd: 0.5, status: 'estimated', source: 'official_docs_snapshot' } },
  ] as const
  assert.deepEqual(resultJson({ end, calls, sessionId: 's', answeredBy: { model: 'm-2', provider: 'p' } }), {
    session_id: 's',
    model: 'm-2',
    provider: 'p',
    status: 'completed',
    text: 'Done.',
    failure: undefined,
    usage: noUsage,
    cost_usd: 0.75,
    cost_status: ['estimated', 'unknown'],
    rate_limits: {
      provider: 'p',
      key: null,
      limits: [{ name: 'requests', used: 0.5, limit: 10, remaining: 5, resets_at: '2026-01-01T00:00:00.000Z' }],
    },
    model_calls: 2,
    duration_ms: 13,
  })
})

test('a cost that nobody knows is none, and limits that were not told are left out', () => {
  const unknown = { ...call, cost: { status: 'unknown', source: 'none' } } as const
  const json = resultJson({ end, calls: [unknown], sessionId: 's', answeredBy: undefined })
  assert.deepEqual(
    [json.cost_usd, json.cost_status, json.model, 'rate_limits' in json],
    [null, ['unknown'], null, false],
  )
})
