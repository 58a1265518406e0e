import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { HermesMobileClient } from './client.ts'
import { safeName } from './safe-name.ts'

test('a name leads nowhere else and is as long as file systems take', () => {
  assert.equal(safeName('report.pdf'), 'report.pdf')
  assert.equal(safeName('../../etc/passwd'), 'passwd')
  assert.equal(safeName('..\\..\\evil.exe'), 'evil.exe')
  for (const nothing of ['', '.', '..', 'folder/', '...']) assert.equal(safeName(nothing), undefined, nothing)
  for (const long of [
    'ж'.repeat(300),
    '😀'.repeat(200),
    'a'.repeat(300),
    `a${'😀'.repeat(200)}`,
    '\uD800'.repeat(300),
  ]) {
    const name = safeName(`${long}.png`) ?? ''
    const bytes = Buffer.byteLength(name)
    assert.ok(bytes <= 200 && bytes > 190 && name.endsWith('.png') && name.isWellFormed(), name)
    assert.ok(Buffer.byteLength(safeName(`a.${long}`) ?? '') <= 200)
  }
})

test('a file of any name and id is saved inside the folder', async () => {
  const client = new HermesMobileClient('ws://127.0.0.1:1/ws', 'token')
  const folder = await mkdtemp(join(tmpdir(), 'hermes-saved-'))
  const file = { kind: 'image', data: new Uint8Array([1]), caption: '', size: 1, url: '', replyTo: '' } as const
  for (const [id, filename] of [
    ['1', 'ж'.repeat(300)],
    ['../'.repeat(100), ''],
    ['ж'.repeat(300), '..'],
    ['4', '../../../up.png'],
  ] as const) {
    const path = await client.saveMedia({ ...file, id, mime: 'image/png', filename }, folder)
    assert.ok((await readdir(folder)).some((name) => path === join(folder, name)))
  }
  await rm(folder, { recursive: true })
})
