import assert from 'node:assert/strict'
import {
  chmod,
  copyFile,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { test } from 'node:test'
import { patch } from './patch.ts'
import { readFile as readTool } from './read-file.ts'
import { testContext } from './test-context.ts'
import type { TestContext } from './test-context.ts'
import { writeFile as writeTool } from './write-file.ts'

/** What others can do to `a.txt` between a read and a write. */
const changes: readonly (readonly [what: string, change: (t: TestContext) => Promise<unknown>])[] = [
  ['was written', (t) => writeFile(t.path('a.txt'), 'theirs and longer\n')],
  [
    'has other content of the same size and time',
    async (t) => {
      const { atime, mtime } = await stat(t.path('a.txt'))
      await writeFile(t.path('a.txt'), 'eno\ntwo\n')
      await utimes(t.path('a.txt'), atime, mtime)
    },
  ],
  [
    'was replaced by another file of the same size and time',
    async (t) => {
      const { atime, mtime } = await stat(t.path('a.txt'))
      await writeFile(t.path('other'), 'eno\ntwo\n')
      await utimes(t.path('other'), atime, mtime)
      await rename(t.path('other'), t.path('a.txt'))
    },
  ],
  [
    'became a link',
    async (t) => {
      await rename(t.path('a.txt'), t.path('elsewhere.txt'))
      await symlink('elsewhere.txt', t.path('a.txt'))
    },
  ],
  [
    'became a link to another file',
    async (t) => {
      await writeFile(t.path('other.txt'), 'one\ntwo\n')
      await unlink(t.path('a.txt'))
      await symlink('other.txt', t.path('a.txt'))
    },
  ],
]

const write = { path: 'a.txt', content: 'mine\n' }
const replace = { path: 'a.txt', old_string: 'two', new_string: '2' }

async function open() {
  const t = await testContext({ files: { 'a.txt': 'one\ntwo\n' } })
  await t.run(readTool, { path: 'a.txt' })
  return t
}

for (const [what, change] of changes) {
  test(`a file that ${what} since it was read is not written before it is read again`, async () => {
    await using t = await open()
    await change(t)
    const theirs = await readFile(t.path('a.txt'), 'utf8')
    const refused = await t.run(writeTool, write)
    assert.equal(refused.status, 'error')
    assert.match(refused.json.error, /a\.txt .*nothing was written.*[Rr]ead it again/)
    assert.equal(await readFile(t.path('a.txt'), 'utf8'), theirs)
    assert.equal((await t.run(writeTool, write)).status, 'error', 'the second time too')
    const again = await t.run(readTool, { path: 'a.txt' })
    assert.match(again.json.content, new RegExp(theirs.slice(0, 3)), 'and what is there now is shown')
    assert.equal((await t.run(writeTool, write)).status, 'ok')
    assert.equal(await readFile(t.path('a.txt'), 'utf8'), 'mine\n')
  })

  test(`a file that ${what} since it was read is not patched either`, async () => {
    await using t = await open()
    await change(t)
    const theirs = await readFile(t.path('a.txt'), 'utf8')
    for (const args of [replace, { mode: 'patch', patch: '*** Update File: a.txt\n-two\n+2' }]) {
      const { status, json } = await t.run(patch, args)
      assert.deepEqual([status, json.success], ['error', false])
      assert.equal(await readFile(t.path('a.txt'), 'utf8'), theirs)
    }
    await t.run(readTool, { path: 'a.txt' })
    assert.equal((await t.run(patch, { ...replace, old_string: theirs.slice(0, 3) })).status, 'ok')
  })
}

test('one changed file of a patch stops all of it', async () => {
  await using t = await open()
  await writeFile(t.path('b.txt'), 'b\n')
  await writeFile(t.path('a.txt'), 'one\ntwo\nthree\n')
  const body = '*** Update File: b.txt\n-b\n+B\n*** Update File: a.txt\n-two\n+2'
  assert.match((await t.run(patch, { mode: 'patch', patch: body })).json.error, /a\.txt was changed by something else/)
  assert.equal(await readFile(t.path('b.txt'), 'utf8'), 'b\n')
})

test('a file that was deleted since it was read is made anew only when that is asked for again', async () => {
  await using t = await open()
  await unlink(t.path('a.txt'))
  assert.match((await t.run(writeTool, write)).json.error, /deleted.*write it again/)
  assert.equal((await t.run(writeTool, write)).status, 'ok')
  assert.equal(await readFile(t.path('a.txt'), 'utf8'), 'mine\n')
})

test('a folder on the way that became a link makes another file of it', async () => {
  await using t = await testContext({ files: { 'd/a.txt': 'one\n', 'e/a.txt': 'one\n' } })
  await t.run(readTool, { path: 'd/a.txt' })
  await rm(t.path('d'), { recursive: true })
  await symlink('e', t.path('d'))
  assert.match((await t.run(writeTool, { path: 'd/a.txt', content: 'x' })).json.error, /another file now.*e\/a\.txt/)
  assert.equal(await readFile(t.path('e/a.txt'), 'utf8'), 'one\n')
})

test('times, modes and an equal file in its place change nothing', async () => {
  await using t = await open()
  await chmod(t.path('a.txt'), 0o755)
  await utimes(t.path('a.txt'), 1, 1)
  assert.equal((await t.run(patch, replace)).status, 'ok')
  await copyFile(t.path('a.txt'), t.path('copy'))
  await rename(t.path('copy'), t.path('a.txt'))
  assert.equal((await t.run(writeTool, write)).status, 'ok')
})

test('a file that was never read is written, and one that this session wrote or moved goes on', async () => {
  await using t = await testContext({ files: { 'a.txt': 'one\n' } })
  assert.equal((await t.run(writeTool, write)).status, 'ok')
  await t.run(patch, { path: 'a.txt', old_string: 'mine', new_string: 'ours' })
  await t.run(patch, { mode: 'patch', patch: '*** Move File: a.txt -> b.txt' })
  await t.run(patch, { mode: 'patch', patch: '*** Update File: b.txt\n-ours\n+theirs' })
  assert.equal((await t.run(writeTool, write)).status, 'ok')
  assert.equal((await t.run(writeTool, { ...write, path: 'b.txt' })).status, 'ok')
  await mkdir(t.path('d'))
  await symlink('../b.txt', t.path('d/link'))
  await t.run(readTool, { path: 'd/link' })
  assert.equal((await t.run(patch, { mode: 'patch', patch: '*** Delete File: d/link' })).status, 'ok')
})

test('a large file is told by its times alone', async () => {
  await using t = await testContext({ files: { 'a.txt': `${'x'.repeat(99)}\n`.repeat(50_000) } })
  await t.run(readTool, { path: 'a.txt', limit: 2 })
  await utimes(t.path('a.txt'), 1, 1)
  assert.match((await t.run(writeTool, write)).json.error, /changed by something else/)
})
