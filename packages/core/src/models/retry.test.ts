import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ModelError } from './model-error.ts'
import { retryDelayMs, sleep, withRetry } from './retry.ts'

const overloaded = new ModelError('overloaded', 'busy')

test('delays double from two seconds up to a minute, with up to half more at random', () => {
  const delays = (random: number): number[] =>
    [1, 2, 3, 4, 5, 6, 7, 50].map((n) => retryDelayMs(overloaded, n, () => random))
  assert.deepEqual(delays(0), [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  assert.deepEqual(delays(1), [3000, 6000, 12_000, 24_000, 48_000, 90_000, 90_000, 90_000])
})

test('what the provider asks for is obeyed exactly, up to two minutes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 1, max: 9 }), (retryAfterMs, attempt) => {
      const error = new ModelError('rate-limited', 'slow down', { retryAfterMs })
      assert.equal(retryDelayMs(error, attempt, Math.random), Math.min(retryAfterMs, 120_000))
    }),
  )
})

test('an abort ends a sleep at once with its own reason', async () => {
  const abort = new AbortController()
  const sleeping = sleep(600_000, abort.signal)
  const reason = new Error('enough')
  abort.abort(reason)
  await assert.rejects(sleeping, (error) => error === reason)
  await assert.rejects(sleep(600_000, abort.signal), (error) => error === reason)
})

test('a call is made again until it succeeds, and each retry is told', async () => {
  const told: [string, number, number][] = []
  const slept: number[] = []
  let calls = 0
  const result = await withRetry(
    async () => {
      if (++calls < 3) throw overloaded
      return 'done'
    },
    {
      maxAttempts: 5,
      signal: new AbortController().signal,
      random: () => 0,
      sleep: async (ms) => void slept.push(ms),
      onRetry: (error, attempt, delayMs) => told.push([error.code, attempt, delayMs]),
    },
  )
  assert.equal(result, 'done')
  assert.deepEqual(slept, [2000, 4000])
  assert.deepEqual(told, [
    ['overloaded', 1, 2000],
    ['overloaded', 2, 4000],
  ])
})

for (const [what, error, expectedCalls] of [
  ['a refused key', new ModelError('auth', 'no'), 1],
  ['an error that is not of a model', new TypeError('bug'), 1],
  ['an overload that does not end', overloaded, 3],
] as const) {
  test(`${what} is final after ${expectedCalls} call(s)`, async () => {
    let calls = 0
    const failing = withRetry(
      async () => {
        calls++
        throw error
      },
      { maxAttempts: 3, signal: new AbortController().signal, sleep: async () => {} },
    )
    await assert.rejects(failing, (thrown) => thrown === error)
    assert.equal(calls, expectedCalls)
  })
}
