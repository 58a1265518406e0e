import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordedRequest, ScriptedAnswer } from '@hermes/testing/scripted-model/answer.ts'
import { isAfterTool, lastUser, openMobileGateway } from './test-mobile-gateway.ts'

test('a message with a known id is not run again, also over another connection and after a restart', async () => {
  await using all = await openMobileGateway()
  const device = await all.device()
  device.send({ t: 'text', id: 'm1', text: 'one' })
  device.send({ t: 'text', id: 'm1', text: 'one' })
  assert.match(await device.reply(), /one/)
  await all.restart()
  await using again = await all.device()
  again.send({ t: 'text', id: 'm1', text: 'one' })
  again.send({ t: 'text', id: 'm2', text: 'two' })
  while (!/two/.test(await again.reply()));
  await all.idle()
  const asked = all.agent.model.requests.filter(({ body }) => body.tools)
  assert.equal(asked.length, 2)
})

test('what was not acknowledged comes again, in order and under its ids, until it is', async () => {
  await using all = await openMobileGateway()
  const first = await all.device()
  for (const id of ['a', 'b']) {
    first.send({ t: 'text', id, text: id })
    await first.reply()
  }
  const sent = first.frames.filter((frame) => frame.t === 'message')
  first.cut()
  await all.restart()
  await using second = await all.device()
  const came = [await second.next('message'), await second.next('message')]
  assert.deepEqual(came, sent)
  second.acknowledge()
  second.send({ t: 'ping', ts: 7 })
  assert.deepEqual(await second.next('pong'), { t: 'pong', ts: 7 })
  await using third = await all.device()
  third.send({ t: 'text', id: 'c', text: 'c' })
  assert.match(await third.reply(), /c/)
  assert.equal(third.frames.filter((frame) => frame.t === 'message').length, 1)
})

test('a long reply comes in pieces that joined are the reply', async () => {
  const text = `${'All work and no play. '.repeat(500)}\n\n${'x'.repeat(9_000)}😀`
  await using all = await openMobileGateway({ script: () => ({ text }) })
  await using device = await all.device()
  device.send({ t: 'text', id: '1', text: 'write' })
  assert.equal(await device.reply(), text)
  const pieces = device.frames.filter((frame) => frame.t === 'message')
  assert.ok(pieces.length > 4 && pieces.every((piece) => piece.text.length <= 4_000))
  for (const [at, piece] of pieces.entries()) {
    assert.deepEqual([piece.index, piece.total, piece.final], [at, pieces.length, at === pieces.length - 1])
  }
  assert.equal(new Set(pieces.map(({ id }) => id)).size, 1)
})

test('what is said before a tool runs is part of the reply, which ends with the answer', async () => {
  await using all = await openMobileGateway({
    script: (request) =>
      isAfterTool(request)
        ? { text: 'It says hi.' }
        : { text: 'Let me look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] },
  })
  await using device = await all.device()
  device.send({ t: 'text', id: '1', text: 'What does echo say?' })
  assert.equal(await device.reply(), 'Let me look.It says hi.')
  const states = device.frames.flatMap((frame) => (frame.t === 'avatar' ? [frame.state] : []))
  assert.deepEqual(states.slice(0, 5), ['thinking', 'speaking', 'working', 'thinking', 'speaking'])
})

/** The text in pieces of so many characters. */
function pieces(text: string, length: number): string[] {
  return text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? []
}

const streaming = 'streaming: {enabled: true, edit_interval: 0.01}\n'

test('a streamed reply grows in one message, whose last edit ends it', async () => {
  const text = 'One two three four five six seven eight nine ten. '.repeat(120)
  await using all = await openMobileGateway({
    config: streaming,
    script: () => ({ text: pieces(text, 400), chunkDelayMs: 60 }),
  })
  const device = await all.device()
  device.send({ t: 'text', id: '1', text: 'count' })
  const first = await device.next('message')
  assert.deepEqual([first.edit, first.final, first.index], [undefined, false, 0])
  const shown = new Map([[0, first.text]])
  for (let last = first; !last.final;) {
    last = await device.next('message')
    shown.set(last.index, last.text)
  }
  assert.equal([...shown.values()].join(''), text.trim())
  const edits = device.frames.filter((frame) => frame.t === 'message' && frame.edit)
  assert.ok(edits.length > 1)
  assert.ok(edits.every((frame) => frame.t === 'message' && frame.id === first.id))
  device.cut()
  // A device that has seen nothing, or only a part, gets there by the same frames.
  await using again = await all.device()
  const seen = new Map<number, string>()
  for (let isOver = false; !isOver;) {
    const frame = await again.next('message')
    seen.set(frame.index, frame.text)
    isOver = frame.final
  }
  assert.deepEqual([...seen], [...shown])
})

test('a client that acknowledges the ends of replies alone gets nothing twice', async () => {
  const script = (request: RecordedRequest): ScriptedAnswer =>
    isAfterTool(request)
      ? { text: 'word '.repeat(2_000) }
      : { text: 'Let me look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] }
  await using all = await openMobileGateway({ script })
  const device = await all.device()
  device.send({ t: 'text', id: '1', text: 'look' })
  await device.reply()
  const last = device.frames.findLast((frame) => frame.t === 'message')
  assert.ok(last?.t === 'message' && last.index > 0)
  device.send({ t: 'ack', id: last.id })
  device.send({ t: 'ping', ts: 1 })
  await device.next('pong')
  device.cut()
  await using again = await all.device()
  again.send({ t: 'text', id: '2', text: '/help' })
  await again.reply()
  assert.equal(again.frames.filter((frame) => frame.t === 'message' && frame.index > 0).length, 0)
  assert.equal(JSON.stringify(again.frames).includes('Let me look'), false)
})

test('an edit is kept until the device has its message', async () => {
  const script = () => ({ text: ['Hello ', 'there, ', 'you.'], chunkDelayMs: 30 })
  await using all = await openMobileGateway({ config: streaming, script })
  const device = await all.device()
  device.send({ t: 'text', id: '1', text: 'hi' })
  for (let isOver = false; !isOver;) isOver = (await device.next('message')).final
  device.acknowledge()
  device.send({ t: 'ping', ts: 1 })
  await device.next('pong')
  await using again = await all.device()
  again.send({ t: 'text', id: '2', text: 'more' })
  for (let isOver = false; !isOver;) isOver = (await again.next('message')).final
  const ids = new Set(again.frames.flatMap((frame) => (frame.t === 'message' ? [frame.id] : [])))
  assert.equal(ids.size, 1, 'nothing of the first reply')
})

test('all connections of a device hear what is said, and one acknowledgement is enough', async () => {
  await using all = await openMobileGateway()
  await using phone = await all.device()
  await using tablet = await all.device()
  await phone.next('ready')
  await tablet.next('ready')
  phone.send({ t: 'text', id: '1', text: 'hi' })
  assert.equal(await phone.reply(), await tablet.reply())
  tablet.acknowledge()
  tablet.send({ t: 'ping', ts: 1 })
  await tablet.next('pong')
  await using third = await all.device()
  third.send({ t: 'ping', ts: 2 })
  await third.next('pong')
  assert.deepEqual(
    third.frames.filter((frame) => frame.t === 'message'),
    [],
  )
})

test('what nobody asked for reaches devices that are there, and those that were away when they come', async () => {
  await using all = await openMobileGateway()
  const chat = await all.gateway.courier.find('mobile')
  assert.equal(chat?.chatId, 'phone-1')
  assert.ok(chat)
  const device = await all.device()
  await device.next('ready')
  const tell = (key: string, text: string) =>
    all.gateway.courier.deliver({ key, chat, text }, AbortSignal.timeout(30_000))
  await tell('1', 'Good morning.')
  assert.equal(await device.reply(), 'Good morning.')
  device.acknowledge()
  device.send({ t: 'ping', ts: 1 })
  await device.next('pong')
  device.cut()
  await device.closed
  await tell('2', 'Good night.')
  await using later = await all.device()
  assert.equal(await later.reply(), 'Good night.')
})

test('commands are answered, and the conversation of a device stays its own', async () => {
  await using all = await openMobileGateway()
  await using device = await all.device()
  await using other = await all.device({ id: 'phone-2' })
  device.send({ t: 'text', id: '1', text: '/help' })
  assert.match(await device.reply(), /\/new/)
  other.send({ t: 'text', id: '1', text: 'mine' })
  assert.match(await other.reply(), /mine/)
  assert.equal(device.frames.filter((frame) => frame.t === 'message').length >= 1, true)
  assert.equal(other.frames.filter((frame) => frame.t === 'message').length, 1)
})

test('unknown and broken frames are answered by code, and the connection goes on', async () => {
  await using all = await openMobileGateway()
  await using device = await all.device()
  await device.next('ready')
  const cases: readonly (readonly [string | Buffer, string])[] = [
    ['{"t":"later"}', 'unsupported_frame'],
    ['{', 'bad_frame'],
    ['[]', 'bad_frame'],
    ['{"t":"text","id":"1","text":" "}', 'bad_frame'],
    [Buffer.from('{"t":"typing"}'), 'bad_frame'],
    [JSON.stringify({ t: 'hello', v: 1, token: 'x', device: { id: 'phone-1' } }), 'bad_frame'],
    ['{"t":"prompt","prompt_id":"nobody","option_id":"once"}', 'prompt_closed'],
  ]
  for (const [frame, code] of cases) {
    device.send(frame)
    const error = await device.next('error')
    assert.deepEqual([error.code, error.fatal], [code, false], String(frame))
  }
  device.send({ t: 'ping', ts: 0.5 })
  assert.equal((await device.next('pong')).ts, 0.5)
})

test('a frame of more than 16 MiB is told and ends the connection with 1009', async () => {
  await using all = await openMobileGateway()
  const device = await all.device()
  await device.next('ready')
  device.send(Buffer.alloc(16 * 1024 * 1024 + 1, 'x').toString())
  const error = await device.next('error')
  assert.deepEqual([error.code, error.fatal], ['too_big', false])
  assert.equal((await device.closed).code, 1009)
})

test('words beyond all measure are refused, wherever they stand, and the connection goes on', async () => {
  await using all = await openMobileGateway()
  await using device = await all.device()
  const text = 'a'.repeat(1_000_001)
  const media = { t: 'media', kind: 'document', mime: 'text/plain', data: 'AAAA', part: 0, parts: 1 } as const
  device.send({ t: 'text', id: 'm1', text })
  device.send({ t: 'audio', id: 'm2', format: 'wav', data: 'AAAA', text })
  device.send({ t: 'prompt', prompt_id: 'p', text })
  device.send({ ...media, id: 'm3', caption: text })
  for (let count = 0; count < 4; count++) {
    const { code, fatal } = await device.next('error')
    assert.deepEqual([code, fatal], ['too_big', false])
  }
  device.send({ t: 'text', id: 'm4', text: 'short' })
  assert.match(await device.reply(), /short/)
  assert.equal(all.agent.model.requests.filter(({ body }) => body.tools).length, 1)
})

test('who sends too much is told, and heard again', async () => {
  await using all = await openMobileGateway({ script: () => ({ text: 'ok' }) })
  await using device = await all.device()
  await device.next('ready')
  for (let count = 0; count < 300; count++) device.send({ t: 'text', id: `m${count}`, text: '/status' })
  assert.equal((await device.next('error')).code, 'rate_limited')
  device.send({ t: 'ping', ts: 1 })
  await device.next('pong')
})

test('the avatar listens while the person types', async () => {
  await using all = await openMobileGateway()
  await using device = await all.device()
  device.send({ t: 'typing' })
  assert.equal((await device.next('avatar')).state, 'listening')
})

test('a turn that fails is told, and the avatar shows it', async () => {
  await using all = await openMobileGateway({ script: () => ({ fault: { type: 'http', status: 400 } }) })
  await using device = await all.device()
  device.send({ t: 'text', id: '1', text: 'hi' })
  assert.match(await device.reply(), /⚠️/)
  for (let state = ''; state !== 'error';) state = (await device.next('avatar')).state
})

test('a streamed reply that a stop of the gateway cut short goes on in its message', async () => {
  let asked = 0
  await using all = await openMobileGateway({
    config: streaming,
    script: () =>
      ++asked === 1
        ? { text: Array.from({ length: 4_000 }, () => 'slowly '), chunkDelayMs: 20 }
        : { text: ['Now it ', 'comes ', 'whole.'], chunkDelayMs: 20 },
  })
  const device = await all.device()
  device.send({ t: 'text', id: '1', text: 'tell me' })
  const draft = await device.next('message')
  await all.restart()
  await using again = await all.device()
  const shown = new Map<string, string>()
  for (let isOver = false; !isOver;) {
    const frame = await again.next('message')
    shown.set(frame.id, frame.text)
    isOver = frame.final
  }
  assert.deepEqual([...shown], [[draft.id, 'Now it comes whole.']])
})

test('a notice beside a turn does not end the reply', async () => {
  await using all = await openMobileGateway({
    config: 'agent: {gateway_notify_interval: 1}\n',
    script: () => ({ text: 'At last.', delayMs: 1_600 }),
  })
  await using device = await all.device()
  device.send({ t: 'text', id: '1', text: 'take your time' })
  assert.match(await device.reply(), /.+At last\.$/s)
  const [notice] = device.frames.filter((frame) => frame.t === 'message')
  assert.equal(notice?.final, false)
})

test('a newer message interrupts, and the avatar rests only when all is answered', async () => {
  await using all = await openMobileGateway({
    script: (request) =>
      lastUser(request) === 'slow'
        ? { text: Array.from({ length: 2_000 }, () => 'w '), chunkDelayMs: 20 }
        : { text: 'Quick.' },
  })
  await using device = await all.device()
  device.send({ t: 'text', id: '1', text: 'slow' })
  while ((await device.next('avatar')).state !== 'speaking');
  device.send({ t: 'text', id: '2', text: 'quick' })
  assert.equal(await device.reply(), 'Quick.')
  while ((await device.next('avatar')).state !== 'idle');
  const states = device.frames.flatMap((frame) => (frame.t === 'avatar' ? [frame.state] : []))
  assert.equal(states.filter((state) => state === 'idle').length, 1)
})

test('a client that does not read holds up nobody, and misses nothing', async () => {
  await using all = await openMobileGateway({
    script: (request) => ({ text: lastUser(request) === 'send' ? 'Here.\nMEDIA:./clip.mp4' : 'ok' }),
    work: { 'clip.mp4': 'x'.repeat(12_000_000) },
  })
  await using slow = await all.device()
  await using other = await all.device({ id: 'phone-2' })
  await slow.next('ready')
  slow.send({ t: 'text', id: '1', text: 'send' })
  await slow.next('media')
  slow.socket.pause()
  const before = slow.frames.length
  for (const id of ['a', 'b', 'c']) {
    other.send({ t: 'text', id, text: 'hi' })
    assert.equal(await other.reply(), 'ok')
  }
  slow.send({ t: 'text', id: '2', text: 'and you?' })
  await all.idle()
  assert.ok(slow.frames.length - before < 20)
  slow.socket.resume()
  for (let isOver = false; !isOver;) isOver = (await slow.next('media')).final
  await slow.reply()
  assert.equal(await slow.reply(), 'ok')
})
