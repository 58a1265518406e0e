import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RecordedRequest } from '@hermes/testing/scripted-model/answer.ts'
import { lastUser, openMobileGateway } from './test-mobile-gateway.ts'
import type { TestDevice } from './test-device.ts'

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

interface File {
  readonly id: string
  readonly kind?: 'image' | 'video' | 'document' | 'audio'
  readonly mime?: string
  readonly filename?: string
  readonly caption?: string
}

/** Parts of a file as frames. */
function parts(bytes: Buffer, count: number, { kind = 'document', mime = 'application/octet-stream', ...file }: File) {
  const size = Math.ceil(bytes.length / count)
  return Array.from({ length: count }, (_, part) => ({
    t: 'media' as const,
    kind,
    mime,
    ...file,
    data: bytes.subarray(part * size, (part + 1) * size).toString('base64'),
    part,
    parts: count,
  }))
}

/** The next file of the agent, put together. */
async function file(device: TestDevice) {
  const first = await device.next('media')
  const pieces = [first]
  while (pieces.length < first.parts) pieces.push(await device.next('media'))
  assert.deepEqual(
    pieces.map(({ id, part, final }) => [id, part, final]),
    pieces.map((_, at) => [first.id, at, at === first.parts - 1]),
  )
  return { ...first, bytes: Buffer.concat(pieces.map(({ data }) => Buffer.from(data, 'base64'))) }
}

test('a file in parts, in any order and some twice, reaches the agent whole and once', async () => {
  await using all = await openMobileGateway({ script: () => ({ text: 'Got it.' }) })
  await using device = await all.device()
  const bytes = randomBytes(200_000)
  const frames = parts(bytes, 7, { id: 'f1', filename: '../re port.bin', caption: 'Look at this' })
  for (const at of [3, 0, 0, 6, 5, 3, 1, 2, 4]) device.send(frames[at] ?? '')
  assert.equal(await device.reply(), 'Got it.')
  const request = all.agent.model.requests.find(({ body }) => body.tools)
  assert.ok(request)
  assert.match(lastUser(request), /Look at this/)
  const path = /: (\/.*re port\.bin)/.exec(lastUser(request))?.[1] ?? ''
  assert.deepEqual(await readFile(path), bytes)
  for (const frame of frames) device.send(frame)
  device.send({ t: 'text', id: 't', text: 'done' })
  await device.reply()
  await all.idle()
  assert.equal(
    all.agent.model.requests.filter(({ body }) => body.tools).length,
    2,
    'the same file again is a duplicate',
  )
  assert.deepEqual(await readdir(all.agent.home.path('cache', 'mobile', 'in')), [])
})

test('the agent sees an image, and takes what is none as a file', async () => {
  await using all = await openMobileGateway({ script: () => ({ text: 'Nice.' }) })
  await using device = await all.device()
  for (const frame of parts(onePixel, 1, { id: 'i1', kind: 'image', mime: 'image/png' })) device.send(frame)
  await device.reply()
  const request = all.agent.model.requests.find(({ body }) => body.tools)
  assert.match(JSON.stringify(request?.body.messages), /data:image\/png;base64,iVBOR/)
  for (const frame of parts(Buffer.from('heic'), 1, { id: 'i2', kind: 'image', mime: 'image/heic' })) device.send(frame)
  await device.reply()
  assert.match(
    lastUser(all.agent.model.requests.filter(({ body }) => body.tools).at(-1) as RecordedRequest),
    /image\/heic/,
  )
})

test('a voice message with its words needs no recogniser; without them one is asked', async () => {
  await using all = await openMobileGateway({ config: 'stt: {enabled: false}\n' })
  await using device = await all.device()
  device.send({ t: 'audio', id: 'a1', format: 'ogg', data: 'T2dnUw==', text: 'what time is it' })
  assert.match(await device.reply(), /voice message. It says:\]\nwhat time is it/)
  device.send({ t: 'audio', id: 'a2', format: 'wav', data: 'UklGRg==' })
  assert.match(await device.reply(), /Recognition of speech is switched off/)
  for (const frame of parts(Buffer.from('OggS'), 1, { id: 'a3', kind: 'audio', mime: 'audio/ogg' })) device.send(frame)
  const said = await device.reply()
  assert.match(said, /a voice message \(audio\/ogg\)/)
})

test('what cannot be put on disk is told as internal, and is taken when it is sent again', async () => {
  await using all = await openMobileGateway({ config: 'stt: {enabled: false}\n' })
  await using device = await all.device()
  const cache = all.agent.home.path('cache')
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, 'audio'), 'a file where a folder should be')
  const frame = { t: 'audio', id: 'a1', format: 'ogg', data: 'T2dnUw==', text: 'what time is it' } as const
  device.send(frame)
  const { code, fatal } = await device.next('error')
  assert.deepEqual([code, fatal], ['internal', false])
  await rm(join(cache, 'audio'))
  device.send(frame)
  assert.match(await device.reply(), /what time is it/)
})

test('a voice message is answered by voice too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-mobile-'))
  await writeFile(join(folder, 'five.wav'), silence(8_000))
  await using all = await openMobileGateway({
    script: () => ({ text: 'Five.' }),
    config: 'tts: {provider: local_command}\n',
    environment: `MOBILE_ALLOW_ALL_DEVICES=true\nHERMES_LOCAL_TTS_COMMAND=cp ${folder}/five.wav {output_path}`,
  })
  await using device = await all.device()
  device.send({ t: 'audio', id: 'a1', format: 'ogg', data: 'T2dnUw==', text: 'how many' })
  assert.equal(await device.reply(), 'Five.')
  const voice = await file(device)
  assert.deepEqual([voice.kind, voice.bytes.length > 0, voice.mime.startsWith('audio/')], ['voice', true, true])
})

/** A WAV file of one second without a sound. */
function silence(rate: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + rate * 2, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(rate * 2, 40)
  return Buffer.concat([head, Buffer.alloc(rate * 2)])
}

test('what does not fit together, is too large or stops coming is told by code, and leaves nothing', async () => {
  await using all = await openMobileGateway({ timing: { partMs: 1_500 } })
  await using device = await all.device()
  const [first, second] = parts(randomBytes(1_000), 3, { id: 'f1' })
  device.send(first ?? '')
  device.send({ ...second, parts: 4 } as never)
  assert.equal((await device.next('error')).code, 'media_incomplete')
  device.send({ ...first, id: 'f2', data: '' } as never)
  device.send({ ...second, id: 'f2', part: 2, data: '' } as never)
  device.send({ ...second, id: 'f2', data: '' } as never)
  assert.equal((await device.next('error')).code, 'bad_frame')
  device.send({ ...first, id: 'f3' } as never)
  const late = await device.next('error')
  assert.deepEqual([late.code, late.message.startsWith('f3')], ['media_incomplete', true])
  assert.deepEqual(await readdir(all.agent.home.path('cache', 'mobile', 'in')), [])
})

test('a file that is larger than allowed is refused when it has become so', async () => {
  await using all = await openMobileGateway()
  await using device = await all.device()
  await device.next('ready')
  const large = Buffer.alloc(12 * 1024 * 1024 - 3_000).toString('base64')
  for (let part = 0; part < 6; part++) {
    device.send({ t: 'media', id: 'f4', kind: 'video', mime: 'video/mp4', data: large, part, parts: 6 })
  }
  const error = await device.next('error')
  assert.deepEqual([error.code, error.fatal], ['too_big', false])
  device.send({ t: 'ping', ts: 1 })
  await device.next('pong')
  assert.deepEqual(await readdir(all.agent.home.path('cache', 'mobile', 'in')), [])
})

test('a file of the agent comes in parts, also later and after a restart, until it is acknowledged', async () => {
  const bytes = randomBytes(1_000_000)
  await using all = await openMobileGateway({
    script: (request) => ({ text: /send/.test(lastUser(request)) ? 'Here.\nMEDIA:./clip.mp4' : 'ok' }),
    work: { 'clip.mp4': bytes.toString('latin1') },
  })
  const original = await readFile(`${all.agent.work}/clip.mp4`)
  const device = await all.device()
  device.send({ t: 'text', id: '1', text: 'send it' })
  const { id } = await device.next('media')
  device.cut()
  await all.agent.put('clip.mp4', 'changed since')
  await all.restart()
  const again = await all.device()
  assert.equal(await again.reply(), 'Here.')
  const came = await file(again)
  assert.deepEqual(
    [came.id, came.kind, came.mime, came.filename, came.size],
    [id, 'video', 'video/mp4', 'clip.mp4', original.length],
  )
  assert.ok(came.parts > 1)
  assert.deepEqual(came.bytes, original)
  again.acknowledge()
  again.send({ t: 'text', id: '2', text: 'thanks' })
  await again.reply()
  assert.deepEqual(await readdir(all.agent.home.path('cache', 'mobile', 'out')), [])
  again.cut()
  await using third = await all.device()
  assert.equal(await third.reply(), 'ok')
  assert.equal(
    third.frames.some((frame) => frame.t === 'media'),
    false,
  )
})
