import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeLimits } from './time-limits.ts'

test('a far server may be silent for two minutes, and longer without progress the more it has to read', () => {
  const limits = timeLimits({}, false)
  assert.deepEqual(limits(1000), { connectMs: 30_000, silenceMs: 120_000, progressMs: 180_000, totalMs: 1_800_000 })
  assert.equal(limits(250_000).progressMs, 240_000)
  assert.equal(limits(500_000).progressMs, 300_000)
})

test('a server of one’s own may think as long as the whole call may take', () => {
  const { silenceMs, progressMs } = timeLimits({}, true)(1000)
  assert.deepEqual([silenceMs, progressMs], [1_800_000, 1_800_000])
})

test('the environment overrules, in seconds, and nonsense in it does not', () => {
  const environment = { HERMES_API_TIMEOUT: '60', HERMES_STREAM_READ_TIMEOUT: '5', HERMES_STREAM_STALE_TIMEOUT: '0.5' }
  assert.deepEqual(timeLimits(environment, true)(1), {
    connectMs: 30_000,
    silenceMs: 5000,
    progressMs: 500,
    totalMs: 60_000,
  })
  assert.equal(timeLimits({ HERMES_API_TIMEOUT: 'long' }, false)(1).totalMs, 1_800_000)
})
