import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { parseMobileClientFrame } from '@hermes/protocol/mobile/parse-frame.ts'
import { openMobileGateway } from './test-mobile-gateway.ts'

const frames: readonly object[] = [
  { t: 'hello', v: 1, token: 'x', device: { id: 'phone-1', name: 'P', platform: 'p', app_version: '1' }, user: {} },
  { t: 'text', id: 'm1', text: 'hello' },
  { t: 'audio', id: 'm2', format: 'ogg', data: 'T2dnUw==', text: 'words' },
  { t: 'typing' },
  { t: 'ping', ts: 12 },
  { t: 'ack', id: 'a1' },
  { t: 'prompt', prompt_id: 'p1', option_id: 'once', text: 'x' },
  {
    t: 'media',
    id: 'f1',
    kind: 'image',
    mime: 'image/png',
    data: 'iVBORw==',
    part: 0,
    parts: 2,
    filename: 'a',
    caption: 'b',
  },
]

/** The same numbers each time (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const odd: readonly unknown[] = [
  null,
  -1,
  1e308,
  0.5,
  '',
  ' ',
  '\u0000',
  '😀'.repeat(300),
  [],
  [[]],
  {},
  true,
  '__proto__',
  'a'.repeat(4_000),
]

function mutated(below: (count: number) => number): string {
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const frame: Record<string, unknown> = structuredClone(pick(frames)) as Record<string, unknown>
  const key = pick(Object.keys(frame))
  const kind = below(5)
  if (kind === 0) delete frame[key]
  if (kind === 1) frame[key] = pick(odd)
  if (kind === 2) frame[pick(['device', 'data', 'parts', 't', 'constructor'])] = pick(odd)
  const text = JSON.stringify(frame)
  const at = below(text.length)
  if (kind === 3)
    return text.slice(0, at) + pick(['', '"', '{', '}', ',', '\\', '\n', '9', ' ']) + text.slice(at + below(3))
  return kind === 4 ? text.slice(0, at) : text
}

test(
  'twenty thousand mutated frames are each answered by their code, and nothing stays of them',
  { timeout: 120_000 },
  async () => {
    await using all = await openMobileGateway({ timing: { partMs: 300 } })
    await using device = await all.device()
    await using other = await all.device({ id: 'phone-2' })
    await device.next('ready')
    const below = numbers(7)
    const expected: string[] = []
    let sent = 0
    for (; sent < 22_000; sent++) {
      const frame = mutated(below)
      const isBinary = below(20) === 0
      const parsed = parseMobileClientFrame(frame)
      if (isBinary || !parsed.ok) {
        device.send(isBinary ? Buffer.from(frame) : frame)
        expected.push(isBinary || parsed.ok ? 'bad_frame' : parsed.code)
      } else if (!['text', 'audio'].includes(parsed.frame.t)) other.send(frame)
      // What comes back must be read, or the connection is rightly cut.
      if (sent % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    device.send({ t: 'ping', ts: 1 })
    await device.next('pong')
    assert.deepEqual(
      device.frames.flatMap((frame) => (frame.t === 'error' ? [frame.code] : [])),
      expected,
    )
    assert.ok(expected.length > 10_000)
    assert.deepEqual(new Set(expected), new Set(['bad_frame', 'unsupported_frame']))
    const codes = new Set(other.frames.flatMap((frame) => (frame.t === 'error' ? [frame.code] : [])))
    assert.deepEqual(
      [...codes].filter((code) => !['bad_frame', 'prompt_closed', 'rate_limited', 'media_incomplete'].includes(code)),
      [],
    )
    await using later = await all.device({ id: 'phone-3' })
    later.send({ t: 'text', id: '1', text: 'still there?' })
    assert.match(await later.reply(), /still there/)
    const left = async () => (await readdir(all.agent.home.path('cache', 'mobile', 'in'))).length
    // Frames of the other connection may still wait for their turn.
    const late = AbortSignal.timeout(60_000)
    while ((await left()) > 0) await wait(20, undefined, { signal: late })
  },
)

test('a mutated hello lets nobody in who does not know the token', { timeout: 60_000 }, async () => {
  await using all = await openMobileGateway()
  const below = numbers(11)
  const hello = JSON.stringify({ t: 'hello', v: 1, token: 'the-token', device: { id: 'phone-1' } })
  for (let count = 0; count < 150; count++) {
    const at = below(hello.length)
    const first = hello.slice(0, at) + (below(2) ? '' : 'x') + hello.slice(at + 1 + below(2))
    const device = await all.device({ isSilent: true, socket: { headers: { 'x-forwarded-for': `10.0.0.${count}` } } })
    device.send(first)
    const parsed = parseMobileClientFrame(first)
    const mayEnter =
      parsed.ok && parsed.frame.t === 'hello' && parsed.frame.token === 'the-token' && parsed.frame.v === 1
    if (mayEnter) await device.next('ready')
    else {
      assert.ok(['auth_failed', 'version_mismatch'].includes((await device.next('error')).code), first)
      assert.equal((await device.closed).code, 1008)
    }
    device.cut()
  }
})
