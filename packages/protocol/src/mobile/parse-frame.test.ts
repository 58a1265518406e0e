import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { MAX_FRAME_BYTES } from './constants.ts'
import { parseMobileClientFrame, parseMobileServerFrame } from './parse-frame.ts'

const device = { id: 'phone-1' }

/** What a frame is refused with. */
function codeOf(frame: unknown): string {
  const parsed = parseMobileClientFrame(typeof frame === 'string' ? frame : JSON.stringify(frame))
  return parsed.ok ? 'ok' : parsed.code
}

test('a hello needs a device id and fills in what is missing', () => {
  assert.deepEqual(
    parseMobileClientFrame(JSON.stringify({ t: 'hello', v: 1, token: 'x', device, user: {}, more: 1 })),
    {
      ok: true,
      frame: {
        t: 'hello',
        v: 1,
        token: 'x',
        device: { id: 'phone-1', name: '', platform: '', app_version: '' },
        user: {},
      },
    },
  )
  assert.equal(codeOf({ t: 'hello', v: 1, token: 'x', device: {} }), 'bad_frame')
  assert.equal(codeOf({ t: 'hello', v: 2, token: 'x', device }), 'ok', 'another version is told apart from a bad frame')
})

test('ids that a database would take for others are refused', () => {
  for (const wrong of ['\uD800', 'a\uDC00b', 'a\u0000b', 'a\nb', '\u001b[2J', 'a\u0085']) {
    assert.equal(codeOf({ t: 'text', id: wrong, text: 'a' }), 'bad_frame', JSON.stringify(wrong))
    assert.equal(codeOf({ t: 'hello', v: 1, token: 'x', device: { id: wrong } }), 'bad_frame', JSON.stringify(wrong))
  }
  for (const odd of ['😀', '../../etc/passwd', '__proto__', 'AA:BB:CC', 'Телефон', "'; DROP TABLE items; --", ' ']) {
    assert.equal(codeOf({ t: 'text', id: odd, text: 'a' }), 'ok', odd)
  }
})

test('an optional field that is null is as if it were not there, also in a part of the frame', () => {
  const frame = (value: object) => {
    const read = parseMobileClientFrame(JSON.stringify(value))
    return read.ok ? read.frame : read.code
  }
  const user = { id: null, name: 'Ann', locale: null }
  const hello = { t: 'hello', v: 1, token: 'x', device: { id: 'd', name: null, platform: null }, user }
  const device = { id: 'd', name: '', platform: '', app_version: '' }
  assert.deepEqual(frame(hello), { t: 'hello', v: 1, token: 'x', device, user: { name: 'Ann' } })
  assert.deepEqual(frame({ t: 'prompt', prompt_id: 'p', option_id: 'deny', text: null }), {
    t: 'prompt',
    prompt_id: 'p',
    option_id: 'deny',
  })
  assert.equal(frame({ t: 'prompt', prompt_id: 'p', option_id: null, text: null }), 'bad_frame')
  assert.equal(frame({ t: 'text', id: 'm', text: null }), 'bad_frame')
  assert.equal(frame({ t: 'hello', v: 1, token: 'x', device: { id: null } }), 'bad_frame')
})

test('each kind of wrong frame has its code', () => {
  for (const frame of ['', '{', '[]', 'null', '"text"', '7', '{"t":1}', '{}'])
    assert.equal(codeOf(frame), 'bad_frame', frame)
  for (const t of ['nothing', 'ready', '__proto__', 'constructor', ''])
    assert.equal(codeOf(`{"t":${JSON.stringify(t)}}`), 'unsupported_frame', t)
  assert.equal(codeOf({ t: 'text', id: 'm', text: '  \n' }), 'bad_frame')
  assert.equal(codeOf({ t: 'text', id: '', text: 'a' }), 'bad_frame')
  assert.equal(codeOf({ t: 'audio', id: 'm', format: 'mp3', data: 'AAAA' }), 'bad_frame')
  assert.equal(codeOf({ t: 'prompt', prompt_id: 'p' }), 'bad_frame')
  assert.equal(codeOf({ t: 'prompt', prompt_id: 'p', text: '' }), 'ok')
  assert.equal(codeOf({ t: 'ping' }), 'bad_frame')
})

test('a part of a file is checked: its number, its base64, its kind', () => {
  const part = { t: 'media', id: 'm', kind: 'image', mime: 'image/png', data: 'AAAA', part: 0, parts: 1 }
  assert.equal(codeOf(part), 'ok')
  for (const wrong of [
    { part: 1 },
    { part: -1 },
    { part: 0.5 },
    { parts: 0 },
    { parts: 1e9 },
    { data: 'A' },
    { data: 'AA=A' },
    { data: 'AA\nA' },
    { kind: 'voice' },
  ]) {
    assert.equal(codeOf({ ...part, ...wrong }), 'bad_frame', JSON.stringify(wrong))
  }
})

test('base64 of many megabytes is checked in one pass', () => {
  const data = 'QUJD'.repeat(3_500_000)
  const frame = { t: 'media', id: 'm', kind: 'document', mime: 'a/b', data, part: 0, parts: 1 }
  const started = processorMs()
  assert.equal(codeOf(frame), 'ok')
  assert.equal(codeOf({ ...frame, data: `${data.slice(0, -4)}=AAA` }), 'bad_frame')
  assert.ok(processorMs() - started < 2000)
})

test('a frame is measured in bytes of UTF-8', () => {
  const overhead = JSON.stringify({ t: 'text', id: 'm', text: '' }).length
  const frame = (text: string) => JSON.stringify({ t: 'text', id: 'm', text })
  const euros = '€'.repeat(Math.floor((MAX_FRAME_BYTES - overhead) / 3))
  assert.equal(codeOf(frame(euros)), 'ok')
  assert.equal(codeOf(frame(`${euros}€`)), 'too_big')
  assert.equal(parseMobileClientFrame(new TextEncoder().encode(frame(euros))).ok, true)
  const smiles = '😀'.repeat(Math.floor((MAX_FRAME_BYTES - overhead) / 4))
  assert.equal(codeOf(frame(smiles)), 'ok')
  assert.equal(codeOf(frame(`${smiles}😀`)), 'too_big')
})

test('bytes that are no UTF-8 are a bad frame', () => {
  const parsed = parseMobileClientFrame(new Uint8Array([0x7b, 0xff, 0x7d]))
  assert.equal(parsed.ok ? 'ok' : parsed.code, 'bad_frame')
})

test('an error never repeats what the client sent', () => {
  const parsed = parseMobileClientFrame(JSON.stringify({ t: 'hello', v: 1, token: ['a-secret'], device }))
  assert.ok(!parsed.ok)
  assert.equal(parsed.message.includes('a-secret'), false)
})

test('a client reads frames of the server, and can tell unknown ones from wrong ones', () => {
  const pong = parseMobileServerFrame('{"t":"pong","ts":1}')
  assert.deepEqual(pong, { ok: true, frame: { t: 'pong', ts: 1 } })
  const unknown = parseMobileServerFrame('{"t":"later"}')
  assert.equal(unknown.ok ? '' : unknown.code, 'unsupported_frame')
})
