import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createFileMemo } from './file-memo.ts'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hermes-memo-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** As if the files had been there for long. */
const later = () => Date.now() + 60_000

test('what was made of files is made anew when one of them changes, comes or goes, and only then', async (t) => {
  const root = await folder(t)
  const memo = createFileMemo(later)
  const [there, missing] = [join(root, 'there'), join(root, 'missing')]
  await writeFile(there, 'one')
  let times = 0
  const read = () =>
    memo.of('key', async (watch) => {
      times++
      watch(there)
      watch(missing)
      const texts = [there, missing].map((path) => readFile(path, 'utf8').catch(() => ''))
      return (await Promise.all(texts)).join('+')
    })
  const expect = async (text: string, made: number) => {
    for (let again = 0; again < 3; again++) assert.equal(await read(), text)
    assert.equal(times, made)
  }
  await expect('one+', 1)
  await writeFile(there, 'three')
  await expect('three+', 2)
  // The same length and the same time: the inode still tells when it was changed.
  await utimes(there, 1, 1)
  await expect('three+', 3)
  await writeFile(missing, 'new')
  await expect('three+new', 4)
  await rm(there)
  await expect('+new', 5)
  await writeFile(join(root, 'elsewhere'), 'linked')
  await symlink('elsewhere', there)
  await expect('linked+new', 6)
})

test('a folder changes with what is in it', async (t) => {
  const root = await folder(t)
  const memo = createFileMemo(later)
  let times = 0
  const count = () => memo.of('key', async (watch) => (watch(root), ++times))
  assert.deepEqual([await count(), await count()], [1, 1])
  await mkdir(join(root, 'more'))
  assert.deepEqual([await count(), await count()], [2, 2])
})

test('a file that has only just changed is not relied on', async (t) => {
  const root = await folder(t)
  let now = Date.now()
  const memo = createFileMemo(() => now)
  await writeFile(join(root, 'file'), 'x')
  let times = 0
  const count = () => memo.of('key', async (watch) => (watch(join(root, 'file')), ++times))
  assert.deepEqual([await count(), await count()], [1, 2])
  now += 10_000
  assert.deepEqual([await count(), await count()], [3, 3])
})

test('what begins in one round shares a look', async (t) => {
  const root = await folder(t)
  const memo = createFileMemo(later)
  let times = 0
  const count = () => memo.of('key', async (watch) => (watch(root), ++times))
  assert.deepEqual([await count(), await count()], [1, 1])
  mkdirSync(join(root, 'more'))
  assert.equal(await count(), 1)
  await nextRound()
  assert.equal(await count(), 2)
})

test('what is kept is bounded, and what throws is not kept', async () => {
  const memo = createFileMemo(later)
  let times = 0
  const make = (key: string) => memo.of(key, async () => ++times)
  for (let at = 0; at < 200; at++) await make(`key ${at}`)
  assert.equal(await make('key 199'), 200)
  assert.equal(await make('key 0'), 201)
  await assert.rejects(async () => memo.of('broken', () => Promise.reject(new Error('no'))), /no/)
  assert.equal(await memo.of('broken', async () => 1), 1)
})

test('for a time that is given the files are not looked at again', async (t) => {
  const root = await folder(t)
  let now = later()
  const memo = createFileMemo(() => now)
  let times = 0
  const count = () => memo.of('key', async (watch) => (watch(root), ++times), { freshMs: 1000 })
  assert.equal(await count(), 1)
  await mkdir(join(root, 'more'))
  now += 999
  assert.equal(await count(), 1)
  now += 1
  assert.equal(await count(), 2)
})
