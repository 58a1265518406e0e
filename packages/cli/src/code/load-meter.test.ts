import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoadMeter } from './load-meter.ts'

/** When a process is first taken to be under load that is looked at every `everyMs` and busy by `share`, ms; at most 60 s. */
function loadedAfter(everyMs: number, share: (at: number) => number): number | undefined {
  const meter = createLoadMeter(1_000)
  let spent = 300
  for (let at = everyMs; at <= 60_000; at += everyMs) {
    spent += everyMs * share(at)
    if (meter.isLoad(1_000 + at, spent)) return at
  }
  return undefined
}

test('what keeps a process busy for a while is load, its start is not', () => {
  assert.equal(
    loadedAfter(50, () => 1),
    2_350,
  )
  assert.equal(
    loadedAfter(50, (at) => (at <= 2_250 ? 1 : 0)),
    undefined,
  )
  assert.equal(
    loadedAfter(50, (at) => (at > 10_000 ? 0.65 : 0)),
    10_500,
  )
})

test('on a crowded machine that gives it little at a time, it is load, too', () => {
  assert.equal(
    loadedAfter(50, (at) => (at > 10_000 ? 0.1 : 0)),
    16_000,
  )
})

test('a message now and then is none, however busy the moment', () => {
  const isMoment = (at: number) => (at % 4_000 < 200 ? 1 : 0)
  for (const everyMs of [10, 50]) assert.equal(loadedAfter(everyMs, isMoment), undefined)
  assert.equal(
    loadedAfter(10, () => 0.045),
    undefined,
  )
})

test('a process that is seldom looked at is measured over all of the time between', () => {
  assert.equal(
    loadedAfter(7_000, () => 0.5),
    14_000,
  )
})
