import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { FolderWatch } from './folder-watch.ts'

/** ext4, XFS, Btrfs, tmpfs: a container's own disk is none of them. */
const isTold = [0xef53, 0x58465342, 0x9123683e, 0x01021994].includes(statfsSync(tmpdir()).type)
const skip = process.platform === 'linux' && isTold ? false : 'changes on this disk are not told'

async function tree(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'hermes-folders-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const path = (...parts: readonly string[]) => join(root, ...parts)
  await mkdir(path('top', 'deep'), { recursive: true })
  await mkdir(path('elsewhere'))
  for (const file of ['top/one', 'top/deep/two', 'elsewhere/three']) await writeFile(path(file), 'x')
  return path
}

test('what is in a folder that is named is told of, and only that', { skip }, async (t) => {
  const path = await tree(t)
  await symlink(path('elsewhere'), path('top', 'linked'))
  await symlink(path('elsewhere', 'three'), path('top', 'pointer'))
  await link(path('elsewhere', 'three'), path('top', 'deep', 'shared'))
  using folders = new FolderWatch()
  const names = ['top', 'top/one', 'top/deep', 'top/deep/two', 'top/missing', 'top/linked/three', 'top/linked']
  const paths = [...names, 'top/pointer', 'top/deep/shared', 'elsewhere/three'].map((name) => path(...name.split('/')))
  assert.deepEqual(
    new Set(folders.cover(new Set(paths))),
    new Set(
      ['elsewhere/three', 'top', 'top/deep/shared', 'top/linked', 'top/linked/three', 'top/pointer'].map((name) =>
        path(...name.split('/')),
      ),
    ),
  )
})

/** Changes that were made before are heard of by the end of this. */
async function heard(): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) await nextRound()
}

test('each kind of change is told, and one elsewhere is not', { skip }, async (t) => {
  const path = await tree(t)
  using folders = new FolderWatch()
  folders.cover(new Set([path('top'), path('top', 'one'), path('top', 'deep'), path('top', 'deep', 'two')]))
  const isTold = async (change: () => Promise<unknown>) => {
    const before = folders.changes
    await change()
    await heard()
    assert.ok(folders.changes > before, String(change))
  }
  await isTold(() => writeFile(path('top', 'one'), 'y'))
  await isTold(() => writeFile(path('top', 'deep', 'two'), 'more'))
  await isTold(() => writeFile(path('top', 'new'), ''))
  await isTold(() => rename(path('top', 'deep'), path('elsewhere', 'deep')))
  await isTold(() => rm(path('top', 'new')))
  const quiet = folders.changes
  await writeFile(path('elsewhere', 'three'), 'y')
  await heard()
  assert.equal(folders.changes, quiet)
})

test('a folder that took the place of another is watched in its place', { skip }, async (t) => {
  const path = await tree(t)
  using folders = new FolderWatch()
  const paths = new Set([path('top'), path('top', 'deep'), path('top', 'deep', 'two')])
  assert.deepEqual(folders.cover(paths), [path('top')])
  await rename(path('top', 'deep'), path('elsewhere', 'deep'))
  await mkdir(path('top', 'deep'))
  assert.deepEqual(folders.cover(paths), [path('top')])
  await heard()
  const before = folders.changes
  await writeFile(path('top', 'deep', 'two'), 'again')
  await heard()
  assert.ok(folders.changes > before)
})

test(
  'folders beyond the most that are watched are looked at, and those that are gone make room',
  { skip },
  async (t) => {
    const path = await tree(t)
    for (const name of ['a', 'b', 'c']) {
      await mkdir(path('top', name))
      await writeFile(path('top', name, 'file'), 'x')
    }
    using folders = new FolderWatch({ maxFolders: 3 })
    const files = (...names: readonly string[]) =>
      new Set([path('top'), ...names.flatMap((name) => [path('top', name), path('top', name, 'file')])])
    // Of what is said to be told nothing may be missed.
    assert.deepEqual(folders.cover(files('a', 'b', 'c')), [path('top'), path('top', 'c', 'file')])
    for (const name of ['a', 'b']) {
      const before = folders.changes
      await writeFile(path('top', name, 'file'), 'y')
      await heard()
      assert.ok(folders.changes > before, name)
    }
    await rm(path('top', 'a'), { recursive: true })
    assert.deepEqual(folders.cover(files('b', 'c')), [path('top')])
  },
)

test('nothing is covered where changes are not told, nor after the end', async (t) => {
  const path = await tree(t)
  const paths = [path('top'), path('top', 'one')]
  assert.deepEqual(new FolderWatch({ isUsable: false }).cover(new Set(paths)), paths)
  const folders = new FolderWatch()
  folders[Symbol.dispose]()
  assert.deepEqual(folders.cover(new Set(paths)), paths)
})
