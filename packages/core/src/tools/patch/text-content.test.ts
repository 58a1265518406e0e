import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { openText } from './text-content.ts'

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r', 'é', '漢', '😀', '\uFEFF'), maxLength: 60 })
    .map((text) => Buffer.from(text)),
)

test('without edits every byte comes back', () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      assert.deepEqual(openText(Buffer.from(bytes)).withEdits([]), Buffer.from(bytes))
    }),
    { numRuns: 500 },
  )
})

test('an edit changes what it is for and no other byte', () => {
  const given = fc.string({ unit: fc.constantFrom('x', 'ü'), maxLength: 5 })
  fc.assert(
    fc.property(anyBytes, fc.nat(), fc.nat(), given, (bytes, a, b, fresh) => {
      const content = openText(Buffer.from(bytes))
      const { length } = content.text
      const [start = 0, end = 0] = [a % (length + 1), b % (length + 1)].sort((x, y) => x - y)
      // Half of a character that takes two code units is no place.
      if ([start, end].some((at) => /[\uDC00-\uDFFF]/.test(content.text[at] ?? ''))) return
      const mark = content.withEdits([{ start: 0, end: length, text: '' }])
      const before = content.withEdits([{ start, end: length, text: '' }])
      const after = content.withEdits([{ start: 0, end, text: '' }]).subarray(mark.length)
      const result = content.withEdits([{ start, end, text: content.inward(fresh) }])
      assert.deepEqual(result, Buffer.concat([before, Buffer.from(fresh), after]))
    }),
    { numRuns: 500 },
  )
})

test('new lines get the ends that most lines of the file have', () => {
  const crlf = openText(Buffer.from('a\r\nb\r\nc\n'))
  assert.equal(crlf.text, 'a\nb\nc\n')
  assert.equal(crlf.withEdits([{ start: 2, end: 3, text: 'x\ny' }]).toString(), 'a\r\nx\r\ny\r\nc\n')
  const lf = openText(Buffer.from('a\nb\nc\r\n'))
  assert.equal(lf.withEdits([{ start: 2, end: 3, text: lf.inward('x\r\ny') }]).toString(), 'a\nx\ny\nc\r\n')
})

test('a byte order mark stays in front', () => {
  const content = openText(Buffer.from('\uFEFFone\n'))
  assert.equal(content.text, 'one\n')
  assert.equal(content.withEdits([{ start: 0, end: 3, text: 'two' }]).toString(), '\uFEFFtwo\n')
})

test('bytes that are no UTF-8 survive an edit beside them, and new text is written as UTF-8', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xe9, 0x0a]), Buffer.from('naïve\n')])
  const content = openText(bytes)
  const wanted = content.inward('naïve')
  const start = content.text.indexOf(wanted)
  const result = content.withEdits([{ start, end: start + wanted.length, text: content.inward('naïver') }])
  assert.deepEqual(result, Buffer.concat([Buffer.from([0xff, 0xe9, 0x0a]), Buffer.from('naïver\n')]))
  assert.equal(content.outward(wanted), 'naïve')
})
