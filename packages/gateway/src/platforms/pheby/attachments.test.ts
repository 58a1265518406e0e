import assert from 'node:assert/strict'
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createAttachmentsForTest } from './test-attachments.ts'
import { openTestPheby, secret } from './test-pheby.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A gateway whose model answers with these files. */
async function withFiles(files: Readonly<Record<string, string | Buffer>>) {
  let text = ''
  await using opening = new AsyncDisposableStack()
  const all = opening.use(await openTestPheby({ script: (request) => ({ text: request.body.tools ? text : 'T' }) }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(all.agent.work, name), content)
  text = `Here.\n${Object.keys(files)
    .map((name) => `MEDIA:${join(all.agent.work, name)}`)
    .join('\n')}`
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  const { run_id: runId } = await client.answer(
    { type: 'chat.send', conversation_id: id, text: 'Make it' },
    'run.accepted',
  )
  await client.event('run.finished', undefined, 0)
  const added = client.events.flatMap((event) => (event.type === 'attachment.added' ? [event.attachment] : []))
  opening.move()
  return Object.assign(all, { client, id, runId, added })
}

const bearer = { authorization: `Bearer ${secret}` }

test('files of an answer are told of before the run ends, are in the snapshot, and can be fetched', async () => {
  await using all = await withFiles({ 'a picture.png': png, 'report.pdf': '%PDF-1.4 the report' })
  const [image, report] = all.added
  const types = all.client.events.map(({ type }) => type)
  assert.ok(types.lastIndexOf('attachment.added') < types.indexOf('run.finished'))
  assert.ok(types.indexOf('message.complete') < types.indexOf('attachment.added'))
  assert.ok(image && report)
  const { attachment_id: id, created_at: created, expires_at: expires, ...rest } = report
  assert.match(id, /^[0-9a-f]{32}$/)
  assert.equal(Date.parse(expires ?? '') - Date.parse(created), 7 * 24 * 3_600_000)
  assert.deepEqual(rest, {
    filename: 'report.pdf',
    mime_type: 'application/pdf',
    size: 19,
    kind: 'document',
    inline_image: false,
    conversation_id: all.id,
    message_id: `draft-${all.runId}`,
    download_path: `/attachments/${id}`,
  })
  assert.deepEqual([image.kind, image.inline_image, image.mime_type], ['image', true, 'image/png'])
  const snapshot = await all.client.answer(
    { type: 'conversation.open', conversation_id: all.id },
    'conversation.history',
  )
  assert.deepEqual(snapshot.attachments, all.added)
  assert.equal(JSON.stringify(all.client.events).includes(all.agent.work), false, 'no path of the server is told')
  for (const headers of [bearer, { authorization: `ApiKey ${secret}` }, { 'x-pheby-secret': secret }]) {
    const response = await fetch(`${all.origin}${image.download_path}`, { headers })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/png')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.match(response.headers.get('content-disposition') ?? '', /filename\*=UTF-8''a%20picture\.png/)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), png)
  }
})

test('parts of a file are sent to whoever asks for them', async () => {
  await using all = await withFiles({ 'numbers.txt': '0123456789' })
  const url = `${all.origin}${all.added[0]?.download_path}`
  const part = await fetch(url, { headers: { ...bearer, range: 'bytes=2-4' } })
  assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 2-4/10', '234'])
  const none = await fetch(url, { headers: { ...bearer, range: 'bytes=10-' } })
  assert.deepEqual([none.status, none.headers.get('content-range')], [416, 'bytes */10'])
  const head = await fetch(url, { method: 'HEAD', headers: bearer })
  assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10', ''])
})

test('what is no attachment is one and the same answer, and nothing is given without the secret', async () => {
  await using all = await withFiles({ 'a.txt': 'a' })
  const path = all.added[0]?.download_path ?? ''
  const unavailable = { error: { code: 'not_found', message: 'Attachment unavailable' } }
  for (const id of [
    '0'.repeat(32),
    'x',
    '..',
    '..%2f..%2fstate.db',
    '%2e%2e',
    'A'.repeat(32),
    `${'0'.repeat(31)}%00`,
  ]) {
    const response = await fetch(`${all.origin}/attachments/${id}`, { headers: bearer })
    assert.equal(response.status, 404, id)
    if (id !== '..' && id !== '%2e%2e') assert.deepEqual(await response.json(), unavailable, id)
  }
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: secret }, { 'x-pheby-secret': '' }]) {
    const response = await fetch(`${all.origin}${path}`, { headers: headers as Record<string, string> })
    assert.equal(response.status, 401)
    assert.equal((await response.text()).includes('a.txt'), false)
  }
  const posted = await fetch(`${all.origin}${path}`, { method: 'POST', headers: bearer })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
})

test('whoever tries secrets at the files is locked out of them', async () => {
  await using all = await withFiles({ 'a.txt': 'a' })
  const url = `${all.origin}${all.added[0]?.download_path}`
  const fetched = async (headers: Record<string, string>) => (await fetch(url, { headers })).status
  for (let n = 0; n < 20; n++) assert.equal(await fetched({ authorization: `Bearer ${n}` }), 401)
  assert.equal(await fetched(bearer), 429)
  assert.equal(await fetched({ ...bearer, 'x-forwarded-for': '203.0.113.1' }), 200)
})

test('a copy in the place of which somebody has put a link is not given', async () => {
  await using all = await withFiles({ 'a.txt': 'a' })
  const folder = all.agent.home.path('pheby', 'attachments')
  const [name = ''] = await readdir(folder)
  await rm(join(folder, name))
  await symlink(all.agent.home.path('config.yaml'), join(folder, name))
  const response = await fetch(`${all.origin}${all.added[0]?.download_path}`, { headers: bearer })
  assert.equal(response.status, 404)
})

test('a file whose name says image and whose bytes do not is a document', async () => {
  await using all = await createAttachmentsForTest()
  const path = await all.put('fake.png', '<svg onload="alert(1)">')
  const added = await all.attachments.add(all.file(path, 'image'), all.signal)
  assert.deepEqual([added?.kind, added?.mimeType], ['document', 'application/octet-stream'])
})

test('links, folders and what is gone are refused; the same file of the same answer is added once', async () => {
  await using all = await createAttachmentsForTest()
  const path = await all.put('a.txt', 'a')
  await symlink(path, all.path('link.txt'))
  await mkdir(all.path('folder'))
  for (const name of ['link.txt', 'folder', 'nothing.txt']) {
    await assert.rejects(
      all.attachments.add(all.file(all.path(name), 'document'), all.signal),
      { code: 'refused' },
      name,
    )
  }
  const file = all.file(path, 'document')
  assert.ok(await all.attachments.add(file, all.signal))
  assert.equal(await all.attachments.add(file, all.signal), undefined)
  assert.equal((await readdir(all.folder)).length, 1)
})

test('copies go when their time is over, the originals stay, and what a crash has left goes too', async () => {
  await using all = await createAttachmentsForTest({ retentionDays: 7 })
  const path = await all.put('a.txt', 'a')
  const added = await all.attachments.add(all.file(path, 'document'), all.signal)
  assert.ok(added)
  await writeFile(join(all.folder, 'f'.repeat(32)), 'left by a crash')
  await writeFile(join(all.folder, `${'e'.repeat(32)}.part`), 'left by a crash while it was copied')
  all.pass(7 * 24 * 3_600_000 - 1)
  await all.attachments.tidy()
  assert.ok(await all.attachments.find(added.id))
  assert.deepEqual(await readdir(all.folder), [added.id])
  all.pass(1)
  assert.equal(await all.attachments.find(added.id), undefined, 'it is over also before it is removed')
  await all.attachments.tidy()
  assert.deepEqual(await readdir(all.folder), [])
  assert.equal(await all.read('a.txt'), 'a')
})

test('a copy that is being made stays whenever it is tidied', async () => {
  await using all = await createAttachmentsForTest()
  const path = await all.put('a.txt', 'a'.repeat(3_000_000))
  const adding = all.attachments.add(all.file(path, 'document'), all.signal)
  const tidied = () => all.attachments.tidy().then(() => 'tidied')
  while ((await Promise.race([adding, tidied()])) === 'tidied');
  const added = await adding
  assert.equal((await stat((await all.attachments.find(added?.id ?? ''))?.path ?? '')).size, 3_000_000)
})

test('a long name is cut between its characters', async () => {
  await using all = await createAttachmentsForTest()
  const path = await all.put(`${'a'.repeat(199)}😀.txt`, 'a')
  const added = await all.attachments.add(all.file(path, 'document'), all.signal)
  assert.deepEqual([added?.filename.length, added?.filename.isWellFormed()], [200, true])
})

test('without an end of their time copies stay', async () => {
  await using all = await createAttachmentsForTest({ retentionDays: 0 })
  const added = await all.attachments.add(all.file(await all.put('a.txt', ''), 'document'), all.signal)
  assert.equal(added?.expiresAt, undefined)
  all.pass(1_000 * 24 * 3_600_000)
  await all.attachments.tidy()
  assert.ok(await all.attachments.find(added?.id ?? ''))
})

test('a disk without room takes no copy and keeps no half of one; it is made when there is room', async () => {
  let free = 0
  await using all = await createAttachmentsForTest({ freeBytes: async () => free })
  const given = all.file(await all.put('a.txt', 'content'), 'document')
  await assert.rejects(all.attachments.add(given, all.signal), { name: 'PlatformError', code: 'unreachable' })
  assert.deepEqual(await readdir(all.folder), [])
  free = 1e9
  assert.equal((await all.attachments.add(given, all.signal))?.size, 7)
})
