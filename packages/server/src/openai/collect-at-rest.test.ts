import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { collectAtRest } from './collect-at-rest.ts'

/** A heap of which a collection leaves 10 MB. Time passes with `pass`. */
function bed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const heap = { bytes: 14e6 }
  let [ms, collections] = [0, 0]
  const collect = () => {
    collections++
    heap.bytes = 10e6
  }
  const rest = collectAtRest({ collect, now: () => ms, heapBytes: () => heap.bytes })
  const pass = (forMs: number) => {
    for (let passed = 0; passed < forMs; passed += 100) {
      ms += 100
      t.mock.timers.tick(100)
    }
  }
  return {
    rest,
    heap,
    pass,
    collections: () => collections,
    work(forMs = 0, bytes = 2e6) {
      rest.begin()
      pass(forMs)
      heap.bytes += bytes
      rest.end()
    },
  }
}

test('what work has left is collected once it has stopped, and not while it goes on', (t) => {
  const all = bed(t)
  for (let n = 0; n < 5; n++) {
    all.work()
    all.pass(900)
  }
  assert.equal(all.collections(), 0)
  all.pass(2_000)
  assert.equal(all.collections(), 1)
})

test('nothing is collected during work that is long', (t) => {
  const all = bed(t)
  all.rest.begin()
  all.work()
  all.pass(300_000)
  assert.equal(all.collections(), 0)
  all.rest.end()
  all.pass(2_000)
  assert.equal(all.collections(), 1)
})

test('it is collected at most once a minute, and then what came after the last time', (t) => {
  const all = bed(t)
  for (let n = 0; n < 10; n++) {
    all.work()
    all.pass(3_000)
  }
  assert.equal(all.collections(), 1)
  all.pass(60_000)
  assert.equal(all.collections(), 2)
  all.pass(600_000)
  assert.equal(all.collections(), 2)
})

test('a heap that takes long to look through is left alone until it is small again', (t) => {
  const all = bed(t)
  all.work(0, 40e6)
  all.pass(120_000)
  assert.equal(all.collections(), 0)
  all.heap.bytes = 12e6
  all.work()
  all.pass(120_000)
  assert.equal(all.collections(), 1)
})

test('before there was any work, where little was made, and after the end nothing is collected', (t) => {
  const all = bed(t)
  all.pass(120_000)
  assert.equal(all.collections(), 0)
  all.work()
  all.pass(120_000)
  all.work(0, 0.4e6)
  all.pass(120_000)
  assert.equal(all.collections(), 1)
  all.work()
  all.rest[Symbol.dispose]()
  all.pass(120_000)
  assert.equal(all.collections(), 1)
})
