import assert from 'node:assert/strict'
import { symlink, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { ifAllowed, isFolder } from './if-allowed.ts'

test('a folder is one by its own name or a link, and nothing else is', async () => {
  await using home = await temporaryHome()
  await writeFile(home.path('file'), '')
  await symlink(home.dir, home.path('link'))
  await symlink(home.path('circle'), home.path('circle'))
  const found = [home.dir, home.path('link'), home.path('file'), home.path('none'), home.path('circle')].map(isFolder)
  assert.deepEqual(found, [true, true, false, false, false])
  assert.equal(isFolder(home.path('file', 'below')), false)
  assert.equal(isFolder('x'.repeat(5_000)), false)
})

test('only what a disk refuses is passed over', () => {
  const refused = () => {
    throw Object.assign(new Error('EACCES: no'), { code: 'EACCES' })
  }
  assert.equal(ifAllowed(refused), undefined)
  assert.equal(
    ifAllowed(() => 5),
    5,
  )
  assert.throws(
    () =>
      ifAllowed(() => {
        throw new TypeError('a mistake')
      }),
    /a mistake/,
  )
})
