import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the space for new objects stays as it is while little is made, and grows to its bound under load', async () => {
  const fixture = join(import.meta.dirname, 'steady-heap.fixture.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [fixture])
  const [first = 0, quiet = 0, loaded = 0] = JSON.parse(stdout) as number[]
  assert.equal(quiet, first)
  assert.ok(loaded > 2 * first && loaded <= 8 * 2 ** 20, stdout)
})
