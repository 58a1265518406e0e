import assert from 'node:assert/strict'
import { chmod, readFile, readdir, stat, symlink } from 'node:fs/promises'
import { test } from 'node:test'
import { testContext } from './test-context.ts'
import { writeFile } from './write-file.ts'

test('a file is written with its folders', async () => {
  await using t = await testContext()
  const { json } = await t.run(writeFile, { path: 'a/b/c.txt', content: 'grüße\n' })
  assert.deepEqual(json, { bytes_written: 8, dirs_created: true })
  assert.equal(await readFile(t.path('a/b/c.txt'), 'utf8'), 'grüße\n')
  const again = (await t.run(writeFile, { path: 'a/b/c.txt', content: '' })).json
  assert.deepEqual(again, { bytes_written: 0, dirs_created: false })
  assert.deepEqual(await readdir(t.path('a/b')), ['c.txt'])
})

test('~ and absolute paths are understood, and links are followed', async () => {
  await using t = await testContext({ files: { real: 'x' } })
  await chmod(t.path('real'), 0o600)
  await symlink('real', t.path('link'))
  await t.run(writeFile, { path: '~/notes.txt', content: 'a' })
  assert.equal(await readFile(t.path('../ann/notes.txt'), 'utf8'), 'a')
  await t.run(writeFile, { path: t.path('link'), content: 'new' })
  assert.equal(await readFile(t.path('real'), 'utf8'), 'new')
  assert.equal((await stat(t.path('real'))).mode & 0o777, 0o600)
})

test('what may not be written is refused and stays', async () => {
  await using t = await testContext({ environment: { HERMES_WRITE_SAFE_ROOT: '.' } })
  const home = t.context.agent.home
  for (const path of [
    '/etc/passwd',
    home.path('.env'),
    home.path('config.yaml'),
    '~/.bashrc',
    '../outside.txt',
    '/dev/null',
  ]) {
    const { status, json } = await t.run(writeFile, { path, content: 'x' })
    assert.equal(status, 'denied', path)
    assert.ok(json.error)
  }
  assert.deepEqual(await readdir(home.dir), [])
  assert.match((await t.run(writeFile, { path: '.', content: 'x' })).json.error, /folder/)
  assert.match((await t.run(writeFile, { path: 'a\0b', content: 'x' })).json.error, /NUL/)
})

test('masks of secrets in the new text become the secrets again, or the write is refused', async () => {
  const files = { 'a.conf': 'one=very-secret-value\ntwo=other-secret-value\n' }
  await using t = await testContext({ files, secrets: ['very-secret-value', 'other-secret-value'] })
  await t.run(writeFile, { path: 'a.conf', content: 'x=1\ntwo=«secret:B»\none=«secret:A»\n' })
  assert.equal(await readFile(t.path('a.conf'), 'utf8'), 'x=1\ntwo=other-secret-value\none=very-secret-value\n')
  await t.run(writeFile, {
    path: 'b.conf',
    content: 'one=very-secret-value\n-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG9w0BAQEF\n',
  })
  const { json, status } = await t.run(writeFile, {
    path: 'b.conf',
    content: '-----BEGIN PRIVATE KEY-----\n[private key: hidden]\n',
  })
  assert.equal(status, 'error')
  assert.match(json.error, /masked secret/)
  assert.match(await readFile(t.path('b.conf'), 'utf8'), /MIIEvg/)
})

test('the mask of a secret that is not in the file is written with a warning', async () => {
  await using t = await testContext()
  const { json } = await t.run(writeFile, { path: 'copy.conf', content: 'key=«secret:A»\n' })
  assert.match(json.warning, /«secret:A».*not the secret/)
  assert.equal((await t.run(writeFile, { path: 'copy.conf', content: 'key=«secret:A»\n' })).json.warning, undefined)
})
