import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { projectFolder } from './project-folder.ts'

async function open() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-projects-')))
  const homes = { userHome: join(root, 'ann'), hermesHome: join(root, 'ann/.hermes') }
  await mkdir(join(homes.hermesHome, 'skills'), { recursive: true })
  return { root, homes, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

test('the nearest project upwards is what is kept', async () => {
  await using one = await open()
  await mkdir(join(one.root, 'ann/app/lib/src'), { recursive: true })
  await writeFile(join(one.root, 'ann/app/package.json'), '{}')
  assert.equal(projectFolder(join(one.root, 'ann/app/lib/src'), one.homes), join(one.root, 'ann/app'))
  await writeFile(join(one.root, 'ann/app/lib/.git'), 'gitdir: elsewhere')
  assert.equal(projectFolder(join(one.root, 'ann/app/lib/src'), one.homes), join(one.root, 'ann/app/lib'))
  await symlink(join(one.root, 'ann/app/lib'), join(one.root, 'link'))
  assert.equal(projectFolder(join(one.root, 'link/src'), one.homes), join(one.root, 'ann/app/lib'))
})

test('without a project it is the folder itself, or the nearest one that is there', async () => {
  await using one = await open()
  await mkdir(join(one.root, 'ann/notes'))
  assert.equal(projectFolder(join(one.root, 'ann/notes'), one.homes), join(one.root, 'ann/notes'))
  assert.equal(projectFolder(join(one.root, 'ann/notes/new/deep'), one.homes), join(one.root, 'ann/notes'))
})

test('a home folder under version control is no project', async () => {
  await using one = await open()
  await mkdir(join(one.root, 'ann/.git'))
  await mkdir(join(one.root, 'ann/notes'))
  assert.equal(projectFolder(join(one.root, 'ann/notes'), one.homes), join(one.root, 'ann/notes'))
})

test('the root, homes and what holds them are never kept', async () => {
  await using one = await open()
  const { userHome, hermesHome } = one.homes
  await mkdir(join(userHome, '.git'))
  for (const folder of ['/', '/usr', '/no-such-folder', homedir(), tmpdir(), userHome, dirname(userHome), hermesHome]) {
    assert.throws(() => projectFolder(folder, one.homes), { code: 'not-kept-here' }, folder)
  }
  assert.equal(projectFolder(join(hermesHome, 'skills'), one.homes), join(hermesHome, 'skills'))
})
