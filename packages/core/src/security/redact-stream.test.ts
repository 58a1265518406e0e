import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { redactStream } from './redact-stream.ts'
import { createRedactor } from './redact.ts'

const known = [
  { name: 'DB_PASSWORD', value: 'correct horse battery' },
  { name: 'OPENROUTER_API_KEY', value: 'made-up-key-ddd' },
]
const redactor = createRedactor({ enabled: true, known })

function chars(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => 'aB3dE5gH7jK9mN2pQ4sT6vW8xZ1'[(index * 7 + (index >> 2) * 3) % 27],
  ).join('')
}

const pem = `-----BEGIN EC PRIVATE KEY-----\n${chars(64)}\n${chars(64)}\n${chars(20)}==\n-----END EC PRIVATE KEY-----`

const lines = [
  'The key to this is patience, and the token of it a smile.',
  'Use `password: string` there; the "token" is read later.',
  `Authorization: Bearer ${chars(30)}`,
  'authorization: Basic dXNlcjpwYXNz',
  `{"api_key": "hunter two", "n": 1}`,
  `  password: hunter2`,
  `  password: 'hunter two'  # mine`,
  'foo password: hunter2 and more',
  `tool --api-key ${chars(20)} run`,
  `export DB_PASSWORD=hunter2 && env`,
  'curl -sS -u ann:hunter2 https://example.com',
  'machine example.com login ann password hunter2',
  'login to the page and go on',
  'postgres://ann:hunter2@db:5432/app',
  `sent Bearer ${chars(40)} twice`,
  `ghp_${chars(36)}`,
  `eyJ${chars(30)}.eyJ${chars(60)}.${chars(43)}`,
  'it said correct horse battery, and correct horse saddle',
  'made-up-key-ddd',
  pem,
  pem.slice(0, 120),
  'A key begins with -----BEGIN PRIVATE KEY----- as told.',
  'const x = { apiKey: "aB3dE5gH7jK9mN2p", key: 1 }',
  'Set-Cookie: sid=abcdef; Path=/',
  '- item',
  '数据库密码在哪里？',
  '',
]
const separator = fc.constantFrom('\n', '\n\n', ' ', '\r\n', ', ', '')
const text = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...lines), fc.string({ maxLength: 12 })), separator), { maxLength: 8 })
  .map((parts) => parts.flat().join(''))

function inPieces(whole: string, sizes: readonly number[]): string {
  const stream = redactStream(redactor)
  let shown = ''
  let at = 0
  for (let index = 0; at < whole.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    shown += stream.push(whole.slice(at, at + size))
    at += size
  }
  return shown + stream.end()
}

test('the pieces of a stream come out as the whole text would', () => {
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }), (whole, sizes) => {
      assert.equal(inPieces(whole, sizes), redactor.redact(whole))
    }),
    { numRuns: 600 },
  )
})

test('every line comes out the same one character at a time', () => {
  for (const line of lines) assert.equal(inPieces(`${line}\nnext`, [1]), redactor.redact(`${line}\nnext`), line)
})

test('ordinary text comes out word by word', () => {
  const stream = redactStream(redactor)
  const shown = ['The ', 'quick bro', 'wn fox', ' jumps over', ' the key ', 'and goes on'].map((piece) =>
    stream.push(piece),
  )
  assert.deepEqual(shown, ['The ', 'quick ', 'brown ', 'fox jumps ', 'over the ', 'key and goes '])
  assert.equal(stream.end(), 'on')
})

test('a text without end or space is let go in time', () => {
  const stream = redactStream(redactor)
  let shown = 0
  for (let index = 0; index < 300; index++) shown += stream.push('x'.repeat(1000)).length
  assert.ok(shown >= 300_000 - 65_536)
})

test('a stream of small pieces costs little each', () => {
  const stream = redactStream(redactor)
  const started = processorMs()
  for (let index = 0; index < 20_000; index++) stream.push(index % 20 === 19 ? 'line\n' : 'some ')
  assert.ok(processorMs() - started < 3000)
})

test('whatever a model repeats, its stream costs no square of its length', () => {
  const pieces = [
    'QUJD',
    ' ',
    '\t',
    '-',
    '"',
    'token',
    'key=',
    'Bearer ',
    'login ',
    '-----BEGIN ',
    '--token ',
    '数据库',
  ]
  for (const piece of pieces) {
    const stream = redactStream(redactor)
    const started = processorMs()
    // A long word with something behind it is looked through as well.
    let shown = stream.push(`It is: ${'QUJD'.repeat(4_000)} and `)
    for (let n = 0; n < 10_000; n++) shown += stream.push(piece)
    shown += stream.push(' and so on. ') + stream.end()
    const took = processorMs() - started
    assert.ok(took < 4_000, `${took} ms for ${piece}`)
    if (piece === 'QUJD') assert.ok(shown.endsWith(`${piece.repeat(10_000)} and so on. `))
  }
})
