import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { bounds } from '../commands/gateway/steady-heap.ts'
import { restCompilers, wakeCompilers } from './resting-compilers.ts'
import { createV8Flags } from './v8-flags.ts'

test('under flags that are set, code is kept and used as under the usual ones', () => {
  const usual = cachedDataVersionTag()
  const before = new Script('(function () { return 1 })').createCachedData()
  const flags = createV8Flags()
  flags.set(bounds)
  assert.notEqual(cachedDataVersionTag(), usual)
  // V8 knows the source alone by its length, and what it has compiled in this process by its text.
  const isRefused = (n: number) =>
    new Script(`(function () { return ${n} })`, { cachedData: before }).cachedDataRejected
  assert.equal(isRefused(2), true)
  assert.equal(
    flags.usually(() => isRefused(3)),
    false,
  )
  assert.notEqual(cachedDataVersionTag(), usual)
  assert.throws(
    () =>
      flags.usually(() => {
        throw new Error(String(cachedDataVersionTag() === usual))
      }),
    /^Error: true$/,
  )
  assert.notEqual(cachedDataVersionTag(), usual)
})

test('under flags that are usual in this process, what Node has kept of its own modules is used', () => {
  const own = cachedDataVersionTag()
  restCompilers()
  const usual = cachedDataVersionTag()
  const flags = createV8Flags(true)
  wakeCompilers(flags)
  const tags = new Set([own, usual, cachedDataVersionTag()])
  assert.equal(tags.size, 3)
  assert.equal(flags.natively(cachedDataVersionTag), own)
  assert.equal(flags.usually(cachedDataVersionTag), usual)
})
