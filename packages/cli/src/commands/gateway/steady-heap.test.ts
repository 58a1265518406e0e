import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createV8Flags } from '../../code/v8-flags.ts'
import type { V8Flag } from '../../code/v8-flags.ts'
import { steadyHeap } from './steady-heap.ts'

test('the space for new objects stays as it is while little is made, and grows to its bound under load', async () => {
  const fixture = join(import.meta.dirname, 'steady-heap.fixture.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [fixture])
  const [first = 0, quiet = 0, loaded = 0] = JSON.parse(stdout) as number[]
  assert.equal(quiet, first)
  assert.ok(loaded > 2 * first && loaded <= 8 * 2 ** 20, stdout)
})

test('a process that has seen no load is looked through once when it rests, one that has twice', async () => {
  const looks: unknown[] = []
  const real = createV8Flags()
  const set = (flags: readonly V8Flag[]) => {
    real.set(flags)
    looks.push(...flags.filter(({ name }) => name === '--memory-reducer-gc-count').map(({ value }) => value))
  }
  using _heap = steadyHeap({ ...real, set })
  assert.deepEqual(looks, [1])
  const kept: unknown[] = []
  const until = performance.now() + 60_000
  for (let made = 0; looks.length < 2 && performance.now() < until;) {
    for (let n = 0; n < 4_000; n++) kept[made++ % 4_000] = { n, parts: [n, made], name: `${made}` }
    await turn()
  }
  assert.deepEqual(looks, [1, 2])
})
