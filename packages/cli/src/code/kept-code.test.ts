import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createFileRoom } from './file-room.ts'
import { readKept, sweepKept, writeKept } from './kept-code.ts'

async function folder(): Promise<AsyncDisposable & { readonly path: string; at(name: string): string }> {
  const path = await mkdtemp(join(tmpdir(), 'hermes-code-'))
  return {
    path,
    at: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  }
}

test('what is kept comes back as it was, at a place that V8 can use, and no other file is left', async () => {
  await using all = await folder()
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 9_000 }), fc.nat({ max: 3 }), async (code, runs) => {
      writeKept(all.at('a/b.cjs'), { code, runs })
      const kept = readKept(all.at('a/b.cjs'), createFileRoom().read) ?? assert.fail()
      assert.deepEqual([Buffer.from(kept.code), kept.runs], [Buffer.from(code), runs])
      assert.equal(kept.code.byteOffset % 8, 0)
    }),
    { numRuns: 30 },
  )
  assert.deepEqual(await readdir(all.at('a')), ['b.cjs'])
})

test('what is torn or damaged anywhere counts as none', async () => {
  await using all = await folder()
  const path = all.at('code')
  const code = Buffer.from(Array.from({ length: 203 }, (_, at) => (at * 37) % 256))
  writeKept(path, { code, runs: 2 })
  const whole = await readFile(path)
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
    await writeFile(path, damaged)
    assert.equal(readKept(path, createFileRoom().read), undefined, `byte ${at}`)
    await writeFile(path, whole.subarray(0, at))
    assert.equal(readKept(path, createFileRoom().read), undefined, `${at} bytes`)
  }
  assert.equal(readKept(all.at('missing'), createFileRoom().read), undefined)
  assert.equal(readKept(all.path, createFileRoom().read), undefined)
})

test('what no run has written for long is removed', async () => {
  await using all = await folder()
  for (const name of ['new', 'old']) writeKept(all.at(name), { code: Uint8Array.of(1), runs: 1 })
  const hourAgo = Date.now() / 1000 - 3600
  await utimes(all.at('old'), hourAgo, hourAgo)
  sweepKept(all.path, 1_800_000)
  assert.deepEqual(await readdir(all.path), ['new'])
})
