import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { cleanText, createTextCleaner } from './text-cleaner.ts'

test('escape sequences and control characters are taken out', () => {
  assert.equal(
    cleanText('\x1b[1;31mred\x1b[0m \x1b]0;title\x07plain\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\'),
    'red plainlink',
  )
  assert.equal(cleanText('a\x00b\x08c\x7fd\x1bPq#0;2;0\x1b\\e\x1b(Bf\x9b2Kg'), 'abcdefg')
  assert.equal(cleanText('tab\tand\nline'), 'tab\tand\nline')
})

test('carriage returns become new lines', () => {
  assert.equal(cleanText('one\r\ntwo\r\r\n10 %\r20 %\r'), 'one\ntwo\n10 %\n20 %\n')
})

test('bytes that are no UTF-8 become replacement characters', () => {
  const cleaner = createTextCleaner()
  assert.equal(cleaner.push(Buffer.from([0x61, 0xff, 0x62, 0xe6])) + cleaner.end(), 'a\ufffdb\ufffd')
})

test('where the pieces break does not matter', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom('\x1b[31m', '\x1b]0;t\x07', '\r\n', '\r', '\x1b', '\x1bPab\x1b\\', '数据库', '😀', '\x9b1m'),
  )
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat({ max: 200 }), { maxLength: 8 }), (parts, cuts) => {
      const text = parts.join('')
      const bytes = Buffer.from(text)
      const cleaner = createTextCleaner()
      let seen = ''
      let from = 0
      for (const cut of cuts.toSorted((a, b) => a - b)) {
        seen += cleaner.push(bytes.subarray(from, Math.max(from, cut)))
        from = Math.max(from, Math.min(cut, bytes.length))
      }
      seen += cleaner.push(bytes.subarray(from)) + cleaner.end()
      assert.equal(seen, cleanText(bytes.toString()))
    }),
  )
})
