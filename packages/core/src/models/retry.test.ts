import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ModelError } from './model-error.ts'
import { retryDelayMs, sleep } from './retry.ts'

const overloaded = new ModelError('overloaded', 'busy')

test('delays double from two seconds up to a minute, with up to half more at random', () => {
  const delays = (random: number): number[] =>
    [1, 2, 3, 4, 5, 6, 7, 50].map((n) => retryDelayMs(overloaded, n, () => random))
  assert.deepEqual(delays(0), [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  assert.deepEqual(delays(1), [3000, 6000, 12_000, 24_000, 48_000, 90_000, 90_000, 90_000])
})

test('what the provider asks for is obeyed exactly, up to two minutes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600_000 }), fc.integer({ min: 1, max: 9 }), (retryAfterMs, attempt) => {
      const error = new ModelError('rate-limited', 'slow down', { retryAfterMs })
      assert.equal(retryDelayMs(error, attempt, Math.random), Math.min(retryAfterMs, 120_000))
    }),
  )
})

test('a provider that asks for no time, or names a time that is over, is given the usual one', () => {
  for (const retryAfterMs of [0, -5000]) {
    const error = new ModelError('rate-limited', 'slow down', { retryAfterMs })
    const delays = [1, 2, 3].map((attempt) => retryDelayMs(error, attempt, () => 0))
    assert.deepEqual(delays, [2000, 4000, 8000])
  }
})

test('an abort ends a sleep at once with its own reason', async () => {
  const abort = new AbortController()
  const sleeping = sleep(600_000, abort.signal)
  const reason = new Error('enough')
  abort.abort(reason)
  await assert.rejects(sleeping, (error) => error === reason)
  await assert.rejects(sleep(600_000, abort.signal), (error) => error === reason)
})
