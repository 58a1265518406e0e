import assert from 'node:assert/strict'
import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { writeFileAtomic } from './atomic-write.ts'

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-write-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a new file is private, and so are the folders made for it', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'Ünï çöde 目录', 'a.json')
  await writeFileAtomic(path, '{}')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(join(folder, 'Ünï çöde 目录'))).mode & 0o777, 0o700)
})

test('a file that exists keeps its mode and gets the new bytes', async (t) => {
  const path = join(await temporaryFolder(t), 'a')
  await writeFile(path, 'old')
  await chmod(path, 0o640)
  await writeFileAtomic(path, new TextEncoder().encode('new'), { mode: 0o600 })
  assert.equal(await readFile(path, 'utf8'), 'new')
  assert.equal((await stat(path)).mode & 0o777, 0o640)
})

test('a link stays a link and its target is replaced', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'dotfiles'))
  await writeFile(join(folder, 'dotfiles', 'config'), 'old')
  await symlink(join('dotfiles', 'config'), join(folder, 'config'))
  await writeFileAtomic(join(folder, 'config'), 'new')
  assert.ok((await lstat(join(folder, 'config'))).isSymbolicLink())
  assert.equal(await readFile(join(folder, 'dotfiles', 'config'), 'utf8'), 'new')
})

test('readers see whole files only, and nothing is left behind', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a')
  const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000))
  await writeFileAtomic(path, versions[0]!)
  const abort = new AbortController()
  const reading = (async () => {
    while (!abort.signal.aborted) assert.ok(versions.includes(await readFile(path, 'utf8')))
  })()
  for (let i = 0; i < 30; i += 1) await writeFileAtomic(path, versions[i % 3]!)
  abort.abort()
  await reading
  assert.deepEqual(await readdir(folder), ['a'])
})

test('a write that cannot succeed leaves the old file and no temporary one', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'a')
  await mkdir(path)
  await assert.rejects(writeFileAtomic(path, 'x'))
  assert.deepEqual(await readdir(folder), ['a'])
})

test('what killed writers of the same file left is swept once it is old', async (t) => {
  const folder = await temporaryFolder(t)
  const [old, fresh] = ['.MEMORY.md.0123456789ab.tmp', '.MEMORY.md.ba9876543210.tmp']
  const others = ['.USER.md.0123456789ab.tmp', '.MEMORY.md.notes.tmp', '.MEMORY.md.x.0123456789ab.tmp']
  const long = Date.now() / 1000 - 7200
  for (const name of [old, fresh, ...others]) {
    await writeFile(join(folder, name), 'half')
    if (name !== fresh) await utimes(join(folder, name), long, long)
  }
  await writeFileAtomic(join(folder, 'MEMORY.md'), 'whole')
  assert.deepEqual((await readdir(folder)).sort(), ['MEMORY.md', fresh, ...others].sort())
})
