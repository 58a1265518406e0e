import assert from 'node:assert/strict'
import { chmod, lstat, mkdir, readFile, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { checkRemove, checkWrite, fileRules } from '../security/file-safety.ts'
import { changeFiles } from './change-files.ts'
import type { FileChange } from './change-files.ts'
import { versionOf } from './file-reads.ts'
import { testContext } from './test-context.ts'
import type { TestContext } from './test-context.ts'

const { signal } = new AbortController()
const bytes = (text: string) => Buffer.from(text)

async function write(t: TestContext, path: string, text: string): Promise<FileChange> {
  return { type: 'write', target: await checkWrite(path, fileRules(t.context)), content: bytes(text) }
}

async function remove(t: TestContext, path: string): Promise<FileChange> {
  return { type: 'remove', target: await checkRemove(path, fileRules(t.context)) }
}

async function move(t: TestContext, from: string, to: string): Promise<FileChange> {
  const rules = fileRules(t.context)
  return { type: 'move', from: await checkRemove(from, rules), target: await checkWrite(to, rules) }
}

test('files are written, moved and removed together, and nothing is left lying about', async () => {
  await using t = await testContext({ files: { a: 'old', b: 'b', c: 'c' } })
  const changes = [
    await write(t, 'a', 'new'),
    await write(t, 'x/y/new', 'n'),
    await move(t, 'b', 'z/b2'),
    await remove(t, 'c'),
  ]
  const { madeFolders, versions } = await changeFiles(changes, signal)
  assert.equal(madeFolders, true)
  assert.deepEqual((await readdir(t.dir, { recursive: true })).sort(), ['a', 'x', 'x/y', 'x/y/new', 'z', 'z/b2'])
  assert.equal(await readFile(t.path('a'), 'utf8'), 'new')
  assert.deepEqual(versions.get(t.path('a')), versionOf(await stat(t.path('a'), { bigint: true })))
})

test('a file keeps its mode, a new one gets the usual one', async () => {
  await using t = await testContext({ files: { run: '#!/bin/sh\n' } })
  await chmod(t.path('run'), 0o755)
  await changeFiles([await write(t, 'run', '#!/bin/bash\n'), await write(t, 'fresh', '')], signal)
  assert.equal((await stat(t.path('run'))).mode & 0o777, 0o755)
  assert.equal((await stat(t.path('fresh'))).mode & 0o777, 0o666 & ~process.umask())
})

test('writing through a link changes what it leads to and leaves the link', async () => {
  await using t = await testContext({ files: { 'real/file': 'old' } })
  await symlink('real/file', t.path('link'))
  await changeFiles([await write(t, 'link', 'new')], signal)
  assert.equal(await readlink(t.path('link')), 'real/file')
  assert.equal(await readFile(t.path('real/file'), 'utf8'), 'new')
})

test('removing or moving a link leaves what it leads to', async () => {
  await using t = await testContext({ files: { real: 'text' } })
  await symlink('real', t.path('one'))
  await symlink('real', t.path('two'))
  await changeFiles([await move(t, 'one', 'moved'), await remove(t, 'two')], signal)
  assert.equal(await readlink(t.path('moved')), 'real')
  assert.deepEqual((await readdir(t.dir)).sort(), ['moved', 'real'])
})

test('when one change fails, those before it are taken back', async () => {
  const files = { a: 'a', b: 'b', c: 'c', d: 'd' }
  await using t = await testContext({ files })
  const before = await Promise.all(Object.keys(files).map((name) => lstat(t.path(name), { bigint: true })))
  const last = await write(t, 'd', 'new')
  const expected = versionOf(await stat(t.path('a'), { bigint: true }))
  const changes: FileChange[] = [
    await write(t, 'a', 'new'),
    await write(t, 'new/folder/file', 'new'),
    await move(t, 'b', 'elsewhere/b'),
    await remove(t, 'c'),
    { ...last, expected } as FileChange,
  ]
  await assert.rejects(changeFiles(changes, signal), { name: 'FileSafetyError', code: 'changed' })
  assert.deepEqual((await readdir(t.dir)).sort(), ['a', 'b', 'c', 'd'])
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    assert.equal(await readFile(t.path(name), 'utf8'), text)
    const { modifiedNs, size, inode } = versionOf(await lstat(t.path(name), { bigint: true }))
    const { changedNs: _, ...was } = versionOf(before[index] ?? assert.fail())
    assert.deepEqual({ modifiedNs, size, inode }, was)
  }
})

test('a file that came into being meanwhile is not replaced', async () => {
  await using t = await testContext({ files: { a: 'a' } })
  const changes = [await write(t, 'a', 'new'), await write(t, 'b', 'mine')]
  await writeFile(t.path('b'), 'theirs')
  await assert.rejects(changeFiles(changes, signal), { code: 'changed' })
  assert.equal(await readFile(t.path('a'), 'utf8'), 'a')
  assert.equal(await readFile(t.path('b'), 'utf8'), 'theirs')
  assert.deepEqual((await readdir(t.dir)).sort(), ['a', 'b'])
})

test(
  'a folder that was swapped for a link does not lead the write elsewhere',
  { skip: process.platform !== 'linux' },
  async () => {
    await using t = await testContext({ files: { 'folder/a': 'a', 'secret/a': 'secret' } })
    const change = await write(t, 'folder/a', 'new')
    await rm(t.path('folder'), { recursive: true })
    await symlink('secret', t.path('folder'))
    await assert.rejects(changeFiles([change], signal), { code: 'ENOTDIR' })
    assert.equal(await readFile(t.path('secret/a'), 'utf8'), 'secret')
    await rm(t.path('folder'))
    await mkdir(t.path('folder'))
    await writeFile(t.path('folder/a'), 'back')
    await changeFiles([change], signal)
    assert.equal(await readFile(t.path('folder/a'), 'utf8'), 'new')
  },
)

test('a swapped folder further up does not either', { skip: process.platform !== 'linux' }, async () => {
  await using t = await testContext({ files: { 'up/folder/a': 'a', 'secret/folder/a': 'secret' } })
  const changes = [await write(t, 'up/folder/a', 'new'), await remove(t, 'up/folder/a')]
  await rm(t.path('up'), { recursive: true })
  await symlink('secret', t.path('up'))
  for (const change of changes) await assert.rejects(changeFiles([change], signal), { code: 'changed' })
  assert.equal(await readFile(t.path('secret/folder/a'), 'utf8'), 'secret')
})

test('a cancelled turn changes nothing', async () => {
  await using t = await testContext({ files: { a: 'a' } })
  const changes = [await write(t, 'a', 'new'), await write(t, 'b/c', 'new')]
  await assert.rejects(changeFiles(changes, AbortSignal.abort(new Error('stopped'))), { message: 'stopped' })
  assert.deepEqual(await readdir(t.dir), ['a'])
  assert.equal(await readFile(t.path('a'), 'utf8'), 'a')
})
