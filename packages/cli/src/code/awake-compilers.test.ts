import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedDataVersionTag } from 'node:v8'
import { wakeCompilers } from './resting-compilers.ts'
import { createV8Flags } from './v8-flags.ts'

test('in a process that has started with awake compilers, what is kept is compiled under flags of its start', () => {
  const own = cachedDataVersionTag()
  const flags = createV8Flags()
  wakeCompilers(flags)
  assert.notEqual(cachedDataVersionTag(), own)
  assert.equal(flags.usually(cachedDataVersionTag), own)
  assert.equal(flags.natively(cachedDataVersionTag), own)
})
