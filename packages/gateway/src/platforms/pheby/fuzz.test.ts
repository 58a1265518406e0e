import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePhebyRequest } from '@hermes/protocol/pheby/parse.ts'
import { phebyProtocol } from '@hermes/protocol/pheby/reference.ts'
import { messageSchema } from '@hermes/protocol/reference/json-schema.ts'
import { openTestPheby, secret } from './test-pheby.ts'

const count = 20_000

/** Numbers that look like chance and are the same each time (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "'; DROP TABLE runs; --",
  '__proto__',
  'x'.repeat(300),
  'y'.repeat(70_000),
  [],
  [[[]]],
  {},
  { $gt: '' },
]

// What costs a model call or asks others for lists is not sent whole: the test is about frames.
const examples = (messageSchema(phebyProtocol.fromClient).oneOf ?? [])
  .flatMap(({ examples: all }) => all ?? [])
  .filter((one) => !/models\.list|"hello"/.test(JSON.stringify(one))) as readonly Readonly<Record<string, unknown>>[]

/** A frame with something wrong in it, or nothing. */
function mutated(random: (below: number) => number): string {
  const pick = <One>(list: readonly One[]): One => list[random(list.length)] as One
  const frame: Record<string, unknown> = { ...pick(examples) }
  const keys = Object.keys(frame)
  for (let changes = random(3); changes > 0; changes--) {
    const key = pick(keys)
    const how = random(4)
    if (how === 0) delete frame[key]
    else if (how === 1) frame[key] = pick(values)
    else if (how === 2) frame[pick(['extra', '__proto__', 'type', 'request_id'])] = pick(values)
    else frame['type'] = pick(['ready', 'run.accepted', 'CHAT.SEND', 'chat.send ', 'conversation.open', ''])
  }
  const text = JSON.stringify(frame)
  if (random(5) > 0) return text
  const at = random(text.length)
  const byte = random(3)
  if (byte === 0) return text.slice(0, at)
  if (byte === 1) return text.slice(0, at) + String.fromCharCode(random(0x300)) + text.slice(at + 1)
  return text.slice(0, at) + text.slice(at + random(4))
}

const refusals = new Set(['invalid_json', 'bad_request', 'unknown_type', 'too_large'])
const notThere = new Set(['conversation_not_found', 'approval_not_found', 'clarify_not_found', 'not_found'])

test(`${count} frames with faults: each gets its code, and the server still serves`, { timeout: 120_000 }, async () => {
  await using all = await openTestPheby()
  const client = await all.connect()
  const random = createRandom(20_260_902)
  const expected = new Map<string, number>()
  let sent = 0
  const note = (code: string) => expected.set(code, (expected.get(code) ?? 0) + 1)
  for (let n = 0; sent < count; n++) {
    const frame = mutated(random)
    const parsed = parsePhebyRequest(frame)
    // Settings of the profile are another test's.
    if (parsed.ok && /^(model|reasoning)\.set$/.test(parsed.request.type) && !('conversation_id' in parsed.request))
      continue
    if (parsed.ok && parsed.request.type === 'conversation.create') continue
    if (parsed.ok && parsed.request.type === 'hello') continue
    note(parsed.ok ? 'fine' : parsed.problem.code)
    client.send(frame)
    sent++
    // Some at a time, as many as are worked on side by side.
    if (sent % 28 === 0) await client.ask({ type: 'ping' }, `ping ${n}`)
  }
  await client.ask({ type: 'ping' }, 'the last one')
  const got = new Map<string, number>()
  for (const event of client.events) {
    if (event.type !== 'error') continue
    assert.ok(refusals.has(event.error.code) || notThere.has(event.error.code), JSON.stringify(event).slice(0, 300))
    got.set(event.error.code, (got.get(event.error.code) ?? 0) + 1)
    assert.equal(event.error.message.includes(secret), false)
  }
  for (const code of refusals) assert.equal(got.get(code) ?? 0, expected.get(code) ?? 0, code)
  for (const code of [...refusals].filter((one) => one !== 'too_large')) assert.ok((got.get(code) ?? 0) > 100, code)
  assert.equal(
    client.events.some((event) => event.type === 'error' && event.error.code === 'internal_error'),
    false,
  )

  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'Still there?' }, 'run.accepted')
  const finished = await client.event('run.finished', undefined, 0)
  assert.equal(finished.status, 'completed')
  const { conversations } = await client.answer({ type: 'conversation.list' }, 'conversation.snapshot')
  assert.equal(conversations.length, 1, 'no frame has made anything')
})

test('first frames with faults let nobody in', async () => {
  await using all = await openTestPheby()
  const random = createRandom(7)
  const { connectTestClient } = await import('./test-client.ts')
  for (let n = 0; n < 60; n++) {
    const text = JSON.stringify({ type: 'hello', secret: 'x'.repeat(random(40)), protocol_version: random(3) })
    const frame = random(2) === 0 ? text : text.slice(0, random(text.length))
    const client = await connectTestClient(all.url, { headers: { 'x-forwarded-for': `203.0.113.${n}` } })
    client.send(frame)
    assert.equal(await client.closed, 1008)
    assert.deepEqual(
      client.events.map(({ type }) => type),
      ['error'],
    )
  }
})
