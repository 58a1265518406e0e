import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdempotentRuns } from './idempotency.ts'

const never = new AbortController().signal

/** Work that ends when it is told, and knows whether it was given up. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const state = { begun: 0, isGivenUp: false }
  const work = (signal: AbortSignal) => {
    state.begun++
    signal.addEventListener('abort', () => (state.isGivenUp = true), { once: true })
    return promise
  }
  return { state, resolve, work }
}

test('of two that wait for one run one may go; when the last has gone the run is given up', async () => {
  const runs = createIdempotentRuns(() => 0)
  const { state, resolve, work } = heldWork()
  const first = new AbortController()
  const gone = runs.run('k', 'body', work, first.signal)
  const stays = runs.run('k', 'body', work, never)
  first.abort()
  await assert.rejects(gone, { name: 'AbortError' })
  assert.deepEqual(state, { begun: 1, isGivenUp: false })
  resolve('done')
  assert.equal(await stays, 'done')

  const other = heldWork()
  const leave = new AbortController()
  const both = [0, 1].map(() => runs.run('k2', 'body', other.work, leave.signal))
  leave.abort()
  await Promise.allSettled(both)
  assert.ok(other.state.isGivenUp)
})

test('a result is kept for five minutes and for its body alone; a failure is not kept', async () => {
  let now = 0
  const runs = createIdempotentRuns(() => now)
  let count = 0
  const work = async () => ++count
  assert.equal(await runs.run('k', 'body', work, never), 1)
  now = 299_000
  assert.equal(await runs.run('k', 'body', work, never), 1)
  now = 301_000
  assert.equal(await runs.run('k', 'body', work, never), 2)
  assert.equal(await runs.run('k', 'another body', work, never), 3)
  await assert.rejects(
    runs.run('f', 'body', () => Promise.reject(new Error('no')), never),
    /no/,
  )
  assert.equal(await runs.run('f', 'body', work, never), 4)
})

test('where results are too long together the oldest go, and what runs stays', async () => {
  const runs = createIdempotentRuns(() => 0, 100)
  const { state, resolve, work } = heldWork()
  const running = runs.run('held', 'body', work, never)
  let count = 0
  const long = async () => `${++count}${'x'.repeat(37)}`
  for (const key of ['a', 'b', 'c']) await runs.run(key, 'body', long, never)
  assert.match(await runs.run('c', 'body', long, never), /^3x/)
  assert.match(await runs.run('b', 'body', long, never), /^2x/)
  assert.match(await runs.run('a', 'body', long, never), /^4x/, 'it ran anew')
  const again = runs.run('held', 'body', work, never)
  resolve('done')
  assert.deepEqual(await Promise.all([running, again]), ['done', 'done'])
  assert.equal(state.begun, 1)
})
