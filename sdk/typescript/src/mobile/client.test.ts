import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startScriptedServer } from '../scripted-server.fixture.ts'
import type { Peer } from '../scripted-server.fixture.ts'
import { dataUrl, HermesMobileClient, HermesProtocolError, optionIds, TimeoutError } from './client.ts'
import type { MobileClientOptions } from './client.ts'

const ready = {
  t: 'ready',
  v: 1,
  session: 's1',
  device: { id: 'd1' },
  avatar_url: 'http://x/',
  capabilities: { edit: true },
}
const message = { t: 'message', id: 'a1', text: 'Hello', index: 0, total: 1, final: true }

type Frame = Readonly<Record<string, unknown>>

/** A client and a server that lets it in and answers pings; `play` does the rest. */
async function open(play: (frame: Frame, peer: Peer) => void = () => {}, options: MobileClientOptions = {}) {
  const server = await startScriptedServer((frame, peer) => {
    if (frame['t'] === 'hello') peer.send(ready)
    if (frame['t'] === 'ping') peer.send({ t: 'pong', ts: frame['ts'] })
    play(frame, peer)
  })
  const device = { id: 'd1', name: 'Phone' }
  const client = new HermesMobileClient(server.url, 'token', device, {
    reconnect: { initialMs: 5, maxMs: 20 },
    ...options,
  })
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const sent = (peer: Peer | undefined, ...types: readonly string[]) =>
  peer?.frames.filter(({ t }) => types.includes(String(t))) ?? []

test('it says hello with its device, and tells what it was let in with', async () => {
  await using all = await open(undefined, { user: { name: 'Ann', tz: 'Europe/Vienna' } })
  const told = await all.client.connect()
  assert.deepEqual(told, {
    v: 1,
    session: 's1',
    device: { id: 'd1' },
    avatarUrl: 'http://x/',
    capabilities: { edit: true },
  })
  assert.equal(all.client.ready, told)
  assert.deepEqual(all.server.peers[0]?.frames[0], {
    t: 'hello',
    v: 1,
    token: 'token',
    device: { id: 'd1', name: 'Phone', platform: 'typescript', app_version: '1.0.0' },
    user: { name: 'Ann', tz: 'Europe/Vienna' },
  })
})

test('each method sends its frame', async () => {
  await using all = await open()
  const { client } = all
  await client.connect()
  assert.equal(await client.sendText('hi', 'm1'), 'm1')
  assert.match(await client.sendText('there'), /^[0-9a-f]{32}$/)
  await client.sendAudio(new Uint8Array([1, 2, 3]), 'ogg', { transcript: 'one', messageId: 'v1' })
  client.sendTyping()
  await client.acknowledge('a9')
  await client.answerPrompt('p1', { optionId: ' Once ' })
  await client.answerPrompt('p2', { optionId: 'other', text: 'mine' })
  await client.sendMedia('document', 'AAECAwQ=', { chunkBytes: 2, filename: 'a.bin', caption: 'c', messageId: 'f1' })
  await client.sendImage(new Blob(['png'], { type: 'image/png' }), { messageId: 'i1' })
  await client.sendVoice(new Uint8Array([9]), { filename: 'x.ogg', messageId: 'o1' })
  const peer = await all.server.peer(0)
  await peer.next(({ id }) => id === 'o1')
  assert.deepEqual(
    peer.frames
      .filter(({ t }) => t !== 'hello' && t !== 'ping')
      .map(({ id, ...rest }) => [id ?? '', rest])
      .filter((_, at) => at !== 1),
    [
      ['m1', { t: 'text', text: 'hi' }],
      ['v1', { t: 'audio', format: 'ogg', data: 'AQID', text: 'one' }],
      ['', { t: 'typing' }],
      ['a9', { t: 'ack' }],
      ['', { t: 'prompt', prompt_id: 'p1', option_id: 'once' }],
      ['', { t: 'prompt', prompt_id: 'p2', option_id: 'other', text: 'mine' }],
      ...['AAE=', 'AgM=', 'BA=='].map((data, part) => [
        'f1',
        {
          t: 'media',
          kind: 'document',
          mime: 'application/octet-stream',
          parts: 3,
          part,
          data,
          filename: 'a.bin',
          caption: 'c',
        },
      ]),
      ['i1', { t: 'media', kind: 'image', mime: 'image/png', parts: 1, part: 0, data: 'cG5n' }],
      ['o1', { t: 'media', kind: 'audio', mime: 'audio/ogg', parts: 1, part: 0, data: 'CQ==', filename: 'x.ogg' }],
    ],
  )
})

test('what is wrong is refused before anything is sent', async () => {
  await using all = await open()
  const { client } = all
  assert.throws(() => new HermesMobileClient(all.server.url, ''), TypeError)
  await assert.rejects(client.sendText('hi'), /call connect\(\) first/)
  await client.connect()
  await assert.rejects(client.sendText(' \n'), TypeError)
  await assert.rejects(client.sendAudio(new Uint8Array(1), 'mp3' as 'wav'), TypeError)
  await assert.rejects(client.answerPrompt('', { optionId: 'once' }), TypeError)
  await assert.rejects(client.answerPrompt('p', {}), TypeError)
  await assert.rejects(client.sendMedia('voice' as 'audio', 'AA=='), TypeError)
  await assert.rejects(client.sendMedia('image', new Uint8Array()), TypeError)
  await assert.rejects(client.sendMedia('image', './no such file'), /no such file, and it is no base64/)
  assert.deepEqual(all.server.peers[0]?.frames.length, 1)
})

test('events, waits and the stream tell what comes; files are put together from parts in any order', async () => {
  const part = (number: number, data: string) => ({
    t: 'media',
    id: 'f1',
    kind: 'voice',
    mime: 'audio/ogg',
    data,
    part: number,
    parts: 2,
    final: number === 1,
    size: 3,
    filename: '../v.ogg',
    caption: 'c',
  })
  await using all = await open((frame, peer) => {
    if (frame['t'] !== 'text') return
    const frames = [
      { t: 'typing' },
      { t: 'avatar', state: 'thinking' },
      { t: 'unknown', x: 1 },
      {
        t: 'prompt',
        id: 'p1',
        kind: 'clarify',
        text: '?',
        options: [{ id: 'c0', label: 'A', style: '' }],
        session: 's1',
        timeout_seconds: 9,
      },
      { t: 'prompt_done', id: 'p1', option_id: 'c0', expired: false },
      { ...message, text: 'Hel', total: 2, final: false },
      { ...message, text: 'lo', index: 1, total: 2 },
      { ...message, text: 'Hello!', edit: true },
      part(1, 'Aw=='),
      part(1, 'Aw=='),
      part(0, 'AQI='),
      { t: 'typing', stop: true },
      { t: 'error', code: 'bad_frame', message: 'no', fatal: false },
    ]
    for (const one of frames) peer.send(one)
  })
  const { client } = all
  const stream = client[Symbol.asyncIterator]()
  await client.connect()
  await client.sendText('go')
  assert.deepEqual(await client.waitMessage(30_000), ['Hel', 'lo'])
  const prompt = await client.waitPrompt(30_000)
  assert.deepEqual([prompt.timeoutSeconds, optionIds(prompt)], [9, ['c0']])
  assert.equal(await client.waitAvatar(30_000), 'thinking')
  const file = await client.waitMedia(30_000)
  assert.deepEqual([...file.data], [1, 2, 3])
  const types: string[] = []
  while (types.at(-1) !== 'error') types.push(String((await stream.next()).value?.type))
  assert.deepEqual(types, [
    'ready',
    'typing',
    'avatar',
    'prompt',
    'promptDone',
    'message',
    'message',
    'messageEdit',
    'media',
    'typingStop',
    'error',
  ])
  await assert.rejects(client.waitMessage(20), TimeoutError)
  const folder = await mkdtemp(join(tmpdir(), 'hermes-sdk-'))
  const path = await client.saveMedia(file, folder)
  assert.equal(path, join(folder, 'v.ogg'))
  assert.deepEqual([...(await readFile(path))], [1, 2, 3])
  await rm(folder, { recursive: true })
  const peer = await all.server.peer(0)
  await peer.next(({ t, id }) => t === 'ack' && id === 'f1')
  assert.deepEqual(
    sent(peer, 'ack')
      .map(({ id }) => String(id))
      .toSorted((a, b) => a.localeCompare(b)),
    ['a1', 'a1', 'f1', 'p1'],
  )
})

test('after a lost connection it comes back; what was not confirmed is sent again, and what is known is not told twice', async () => {
  let isDeaf = false
  const server = await startScriptedServer((frame, peer) => {
    if (frame['t'] === 'hello') {
      peer.send(ready)
      // Redelivery: a reply that was shown, and one that was not.
      peer.send(message)
      if (server.peers.length > 1) peer.send({ ...message, id: 'a2', text: 'Later' })
    }
    if (frame['t'] === 'ping' && !isDeaf) peer.send({ t: 'pong', ts: frame['ts'] })
  })
  const client = new HermesMobileClient(server.url, 'token', undefined, { reconnect: { initialMs: 5, maxMs: 20 } })
  const told: string[] = []
  client.on('message', ({ text }) => told.push(text))
  const confirmed: string[] = []
  client.on('confirmed', (id) => confirmed.push(id))
  let drops = 0
  client.on('disconnected', () => drops++)
  await client.connect()
  const first = await server.peer(0)
  await client.sendText('one', 'm1')
  const pings = () => sent(first, 'ping').length
  await client.sendText('two', 'm2')
  // A ping follows each message; what comes after its answer has been dealt with after it.
  await first.next(() => sent(first, 'text').length === 2 && pings() >= 2 && first.frames.at(-1)?.['t'] === 'ping')
  first.send({ t: 'avatar', state: 'idle' })
  await client.waitAvatar()
  assert.deepEqual(confirmed, ['m1', 'm2'])
  isDeaf = true
  await client.sendText('three', 'm3')
  await client.sendMedia('document', new Uint8Array([1, 2, 3]), { chunkBytes: 2, messageId: 'f1' })
  await first.next(({ t, part }) => t === 'media' && part === 1)
  isDeaf = false
  first.drop()
  const second = await server.peer(1)
  await client.sendText('four', 'm4')
  await second.next(({ id }) => id === 'm4')
  assert.deepEqual(
    sent(second, 'text', 'media').map(({ id, part }) => JSON.stringify([id, part])),
    ['["m3",null]', '["f1",0]', '["f1",1]', '["m4",null]'],
  )
  assert.deepEqual(told, ['Hello', 'Later'])
  assert.equal(drops, 1)
  await second.next(() => second.frames.at(-1)?.['t'] === 'ping')
  second.send({ t: 'avatar', state: 'idle' })
  await client.waitAvatar()
  assert.deepEqual(confirmed, ['m1', 'm2', 'm3', 'f1', 'm4'])
  await client.close()
  await server[Symbol.asyncDispose]()
})

test('a refusal ends it: at first by the promise, later by an error, and it does not come back', async () => {
  let refusal: object | undefined = { t: 'error', code: 'device_not_paired', message: 'code ABCD', fatal: true }
  await using server = await startScriptedServer((frame, peer) => {
    if (frame['t'] !== 'hello') return
    peer.send(refusal ?? ready)
    if (refusal) peer.drop(1008)
  })
  const client = new HermesMobileClient(server.url, 't', undefined, { reconnect: { initialMs: 5 } })
  await assert.rejects(
    client.connect(),
    (error) => error instanceof HermesProtocolError && error.code === 'device_not_paired',
  )
  refusal = undefined
  await client.connect()
  const failed = new Promise<HermesProtocolError>((resolve) => client.on('error', resolve))
  refusal = { t: 'error', code: 'auth_failed', message: 'no', fatal: true }
  server.peers.at(-1)?.drop()
  assert.equal(String(await failed), 'HermesProtocolError: auth_failed: no')
  assert.equal(client.isConnected, false)
  const count = server.peers.length
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(server.peers.length, count)
  await client.close()
})

test('a file of a path is read part by part and again for another try', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-sdk-'))
  const path = join(folder, 'big.pdf')
  const bytes = Uint8Array.from({ length: 700_001 }, (_, at) => at % 251)
  await writeFile(path, bytes)
  await using all = await open()
  await all.client.connect()
  await all.client.sendDocument(path, { chunkBytes: 100_000, messageId: 'f1' })
  const peer = await all.server.peer(0)
  await peer.next(({ part }) => part === 7)
  const parts = sent(peer, 'media')
  assert.equal(parts[0]?.['mime'], 'application/pdf')
  assert.deepEqual(Buffer.concat(parts.map(({ data }) => Buffer.from(String(data), 'base64'))), Buffer.from(bytes))
  await rm(folder, { recursive: true })
})

test('a reply of several messages, one of which grows, is taken as a whole; each piece is confirmed when it is there', async () => {
  await using all = await open((frame, peer) => {
    if (frame['t'] !== 'text') return
    const frames = [
      { ...message, id: 'i1', text: 'I will look.', final: false },
      { ...message, id: 'd1', text: 'It', final: false },
      { ...message, id: 'd1', text: 'It is', final: false, edit: true },
      { ...message, id: 'd1', text: 'It is fine', total: 2, final: false, edit: true },
      { ...message, id: 'd1', text: ' now.', index: 1, total: 2 },
      { ...message, id: 'd2', text: 'Next', final: false },
      { ...message, id: 'd2', text: 'Next one.', edit: true },
    ]
    for (const one of frames) peer.send(one)
  })
  const { client } = all
  await client.connect()
  await client.sendText('go')
  assert.deepEqual(await client.waitMessage(30_000), ['I will look.', 'It is fine', ' now.'])
  assert.deepEqual(await client.waitMessage(30_000), ['Next one.'])
  const peer = await all.server.peer(0)
  await peer.next(() => sent(peer, 'ack').length === 5)
  assert.deepEqual(
    sent(peer, 'ack').map(({ id }) => id),
    ['i1', 'd1', 'd1', 'd2', 'd2'],
  )
})

test('a server that is silent is left for another connection; a ping of one’s own confirms nothing', async () => {
  const server = await startScriptedServer((frame, peer) => {
    const isFirst = peer === server.peers[0]
    if (frame['t'] === 'hello') peer.send(ready)
    // Only what the person asked for is answered by the first one.
    if (frame['t'] === 'ping' && (frame['ts'] === 1_000 || !isFirst)) peer.send({ t: 'pong', ts: frame['ts'] })
  })
  const client = new HermesMobileClient(server.url, 'token', undefined, {
    reconnect: { initialMs: 5, maxMs: 20 },
    keepAliveMs: 30,
  })
  await client.connect()
  await client.sendText('hello', 'm1')
  client.ping(30_000)
  const second = await server.peer(1)
  await second.next(({ id }) => id === 'm1')
  await second.next(({ t, ts }) => t === 'ping' && ts === 0)
  assert.equal(server.peers.length, 2, 'one that answers is kept')
  await client.close()
  await server[Symbol.asyncDispose]()
})

test('two who iterate and ask ahead each get every event, and the end', async () => {
  await using all = await open((frame, peer) => {
    if (frame['t'] === 'text') for (const state of ['a', 'b']) peer.send({ t: 'avatar', state })
  })
  const [one, two] = [all.client[Symbol.asyncIterator](), all.client[Symbol.asyncIterator]()]
  await all.client.connect()
  const ahead = Promise.all(Array.from({ length: 5 }, () => one.next()))
  await all.client.sendText('go')
  assert.equal(await all.client.waitAvatar(30_000), 'a')
  assert.equal(await all.client.waitAvatar(30_000), 'b')
  await all.client.close()
  assert.deepEqual(
    (await ahead).map(({ value, done }) => value?.type ?? done),
    ['ready', 'avatar', 'avatar', 'confirmed', true],
  )
  const rest = await Array.fromAsync(two)
  assert.deepEqual(
    rest.map(({ type }) => type),
    ['ready', 'avatar', 'avatar', 'confirmed'],
  )
  assert.equal(dataUrl({ mime: 'image/png', data: new Uint8Array([1, 2, 3]) }), 'data:image/png;base64,AQID')
})
