import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateLimitLines } from './rate-limit-lines.ts'

const now = Date.UTC(2026, 0, 1)

test('each limit has a bar, what is left, and when it is whole again', () => {
  const limits = [
    { name: 'requests', used: 0.4, limit: 500, remaining: 300, resetsAtMs: now + 30_000 },
    { name: 'tokens-1h', used: 0.9, limit: 200_000, remaining: 20_000 },
    { name: 'input-tokens', used: 1, limit: 100, remaining: 0, resetsAtMs: now - 1 },
  ]
  const told = [{ provider: 'openai', key: 'work', toldAtMs: now - 90_000, limits }]
  assert.deepEqual(rateLimitLines(told, now), [
    'Limits of openai (work), as told 1m ago:',
    '  requests      ████████░░░░░░░░░░░░  40% used · 300 of 500 left · resets in 30s',
    '  tokens, 1h    ██████████████████░░  90% used · 20k of 200k left · nearly used up',
    '  input tokens  ░░░░░░░░░░░░░░░░░░░░  0% used · 100 of 100 left · reset since',
  ])
})

test('a subscription tells shares of spans alone', () => {
  const limits = [
    { name: 'unified-5h', used: 0.42, resetsAtMs: now + 3_600_000 },
    { name: 'unified-7d', used: 0.1 },
  ]
  assert.deepEqual(rateLimitLines([{ provider: 'anthropic', toldAtMs: now, limits }], now), [
    'Limits of anthropic:',
    '  5h  ████████░░░░░░░░░░░░  42% used · resets in 1h',
    '  7d  ██░░░░░░░░░░░░░░░░░░  10% used',
  ])
})

test('of many keys those that were used last are shown', () => {
  const told = Array.from({ length: 9 }, (_, n) => ({
    provider: 'p',
    key: `k${n}`,
    toldAtMs: now,
    limits: [{ name: 'requests', used: 0 }],
  }))
  const lines = rateLimitLines(told, now)
  assert.equal(lines.length, 8)
  assert.equal(lines[0], 'Limits of p (k0):')
})
