import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { decodedLength, decodePieces, isBase64 } from './base64-bytes.ts'
import { chunkText } from './chunk-text.ts'
import { createFrameBudget } from './frame-budget.ts'
import { liftData, liftedData } from './lift-data.ts'
import { readFrame } from './read-frame.ts'

test('pieces of a text joined are the text, none is too long and none cuts a character', () => {
  const anyText = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '\n\n', '😀', 'é', '👨‍👩‍👧', 'word', '文'),
    maxLength: 400,
  })
  fc.assert(
    fc.property(anyText, fc.integer({ min: 20, max: 200 }), (text, maxChars) => {
      const pieces = chunkText(text, maxChars)
      assert.equal(pieces.join(''), text)
      for (const piece of pieces) assert.ok(piece.length <= maxChars && piece.isWellFormed(), JSON.stringify(piece))
      assert.ok(pieces.length === 1 || !pieces.includes(''))
    }),
  )
  assert.equal(
    chunkText('\u{1F468}\u200D'.repeat(500), 100).every((piece) => piece.isWellFormed()),
    true,
  )
})

test('a cut is made where a paragraph ends, if one ends late enough', () => {
  const text = `${'a '.repeat(40)}\n\n${'b '.repeat(40)}`
  assert.deepEqual(chunkText(text, 100), [`${'a '.repeat(40)}\n\n`, 'b '.repeat(40)])
})

test('lifting the data out of any JSON changes nothing but them', () => {
  const key = fc.constantFrom('t', 'data', 'id', 'x"y', 'data ', '\u0064ata')
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.base64String(), fc.constant('a\\b'))
  const spaced = fc.constantFrom(undefined, 2, '\t')
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value), { maxLength: 6 }), spaced, (entries, space) => {
      const body = entries.map(
        ([name, one]) => `${JSON.stringify(name)}:${space ? ' \n' : ''}${JSON.stringify(one, null, space)}`,
      )
      const whole = Buffer.from(`{${body.join(',')}}`)
      const lifted = liftData(whole)
      if (!lifted) return
      const plain = JSON.parse(whole.toString()) as Record<string, unknown>
      const rest = JSON.parse(lifted.frame.toString()) as Record<string, unknown>
      // Of two the last one wins, lifted or not.
      if (rest['data'] === liftedData) assert.deepEqual({ ...rest, data: lifted.data.toString() }, plain)
      else assert.deepEqual(rest, plain)
    }),
  )
  for (const text of [
    '',
    '[',
    '{',
    '{"data',
    '{"data"',
    '{"data":',
    '{"data":"',
    '{"a":{"data":"AAAA"}}',
    '{"a":"\\',
    '{"a":[}',
  ])
    assert.equal(liftData(Buffer.from(text)), undefined, text)
})

test('a large frame is read as a small one is', () => {
  const read = (data: string, more = '') =>
    readFrame(
      Buffer.from(`{"t":"media","id":"f","kind":"image","mime":"a/b",${more}"part":0,"parts":1,"data":"${data}"}`),
    )
  const large = Buffer.alloc(60_000, 7).toString('base64')
  for (const data of ['QUJD', large]) {
    const reading = read(data)
    assert.ok(reading.ok)
    assert.equal(reading.data.toString(), data)
    assert.equal(reading.frame.t, 'media')
  }
  for (const wrong of [`${large}=`, `${large.slice(0, -1)}!`, `=${large.slice(1)}`]) {
    const reading = read(wrong)
    assert.ok(!reading.ok && reading.code === 'bad_frame')
  }
  const twice = read(large, `"data":"${large}",`)
  assert.ok(twice.ok)
  assert.equal(twice.data.toString(), large)
  const escaped = read(`${large.slice(0, -2)}\\/\\/`)
  assert.ok(escaped.ok)
})

test('base64 that is decoded in pieces is what it was', () => {
  for (const size of [0, 1, 2, 3, 196_607, 196_608, 196_609, 500_000]) {
    const bytes = Buffer.alloc(size, 'abc')
    const encoded = Buffer.from(bytes.toString('base64'))
    assert.equal(isBase64(encoded), true)
    assert.equal(decodedLength(encoded), size)
    assert.ok(Buffer.concat(Array.from(decodePieces(encoded), (piece) => Buffer.from(piece))).equals(bytes))
  }
  for (const wrong of ['A', 'A===', 'AA=A', '====', 'AA A']) assert.equal(isBase64(Buffer.from(wrong)), false, wrong)
})

test('frames are allowed again after a while', () => {
  let now = 0
  const budget = createFrameBudget(() => now)
  const taken = () => Array.from({ length: 100 }, () => budget.take('message')).filter(Boolean).length
  assert.equal(taken(), 40)
  now += 1_000
  assert.equal(taken(), 4)
  assert.equal(budget.take('other'), true)
})
