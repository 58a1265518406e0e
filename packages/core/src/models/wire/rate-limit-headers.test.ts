import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { rateLimitsOf } from './rate-limit-headers.ts'

const now = Date.UTC(2026, 0, 1)

test('limits are read in the spelling of OpenAI, with spans, by the minute and by the hour', () => {
  const headers = {
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
    'x-ratelimit-reset-requests': '1m30s',
    'x-ratelimit-limit-tokens': '30000',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '6ms',
    'x-ratelimit-limit-requests-1h': '1000',
    'x-ratelimit-remaining-requests-1h': '250',
    'x-ratelimit-reset-requests-1h': '120.5',
  }
  assert.deepEqual(rateLimitsOf(headers, now), [
    { name: 'requests', used: 0.002, limit: 500, remaining: 499, resetsAtMs: now + 90_000 },
    { name: 'tokens', used: 1, limit: 30_000, remaining: 0, resetsAtMs: now + 6 },
    { name: 'requests-1h', used: 0.75, limit: 1000, remaining: 250, resetsAtMs: now + 120_500 },
  ])
})

test('limits are read in the spelling of Anthropic, with instants, and the shares of its subscriptions', () => {
  const headers = {
    'anthropic-ratelimit-input-tokens-limit': '1000',
    'anthropic-ratelimit-input-tokens-remaining': '900',
    'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:01:00Z',
    'anthropic-ratelimit-unified-5h-utilization': '0.42',
    'anthropic-ratelimit-unified-5h-reset': String(now / 1000 + 3600),
    'anthropic-ratelimit-unified-status': 'allowed',
  }
  assert.deepEqual(rateLimitsOf(headers, now), [
    { name: 'input-tokens', used: 0.1, limit: 1000, remaining: 900, resetsAtMs: now + 60_000 },
    { name: 'unified-5h', used: 0.42, resetsAtMs: now + 3_600_000 },
  ])
})

test('the one limit of OpenRouter is that of requests, and resets at an instant in milliseconds', () => {
  const headers = {
    'x-ratelimit-limit': '20',
    'x-ratelimit-remaining': '5',
    'x-ratelimit-reset': String(now + 1500),
  }
  assert.deepEqual(rateLimitsOf(headers, now), [
    { name: 'requests', used: 0.75, limit: 20, remaining: 5, resetsAtMs: now + 1500 },
  ])
})

test('half a limit, one of nothing and nonsense are no limits', () => {
  const headers = {
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-tokens': '500',
    'x-ratelimit-limit-images': '0',
    'x-ratelimit-remaining-images': '0',
    'x-ratelimit-limit-audio': 'many',
    'x-ratelimit-remaining-audio': '-3',
    'anthropic-ratelimit-unified-7d-utilization': 'NaN',
    'content-type': 'text/event-stream',
  }
  assert.deepEqual(rateLimitsOf(headers, now), [])
})

test('whatever a server sends, limits are few and make sense', () => {
  const name = fc.constantFrom('x-ratelimit-', 'anthropic-ratelimit-')
  const value = fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String), fc.constant('1e999'))
  const header = fc
    .tuple(name, fc.constantFrom('limit', 'remaining', 'reset', 'utilization'), fc.nat(40))
    .map(([prefix, what, n]) => (prefix.startsWith('x') ? `${prefix}${what}-b${n}` : `${prefix}b${n}-${what}`))
  fc.assert(
    fc.property(fc.array(fc.tuple(header, value), { maxLength: 200 }), (headers) => {
      const limits = rateLimitsOf(Object.fromEntries(headers), now)
      assert.ok(limits.length <= 16)
      for (const { used, limit = 1, remaining = 0, resetsAtMs = 0 } of limits) {
        assert.ok(used >= 0 && used <= 1 && remaining >= 0 && remaining <= limit, `${used} ${remaining} ${limit}`)
        assert.ok(Number.isFinite(resetsAtMs) && Number.isFinite(limit))
      }
    }),
  )
})
