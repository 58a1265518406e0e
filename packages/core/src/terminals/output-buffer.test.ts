import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createOutputBuffer, createTail, keepHeadAndTail } from './output-buffer.ts'

test('a text within the limit is kept whole, however it came in', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 })), (pieces) => {
      const buffer = createOutputBuffer(1000)
      for (const piece of pieces) buffer.push(piece)
      const whole = pieces.join('')
      if (whole.length <= 1000) assert.deepEqual(buffer.read(), { text: whole, omittedChars: 0 })
    }),
  )
})

test('a longer text keeps its first 40 % and last 60 %, and says how much is missing', () => {
  const text = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join('\n')
  const buffer = createOutputBuffer(10_000)
  for (let at = 0; at < text.length; at += 777) buffer.push(text.slice(at, at + 777))
  const { text: kept, omittedChars } = buffer.read()
  const [head = '', tail = ''] = kept.split(/\n\n\[\.\.\. .* \.\.\.\]\n\n/)
  assert.ok(text.startsWith(head) && text.endsWith(tail))
  assert.ok(head.length > 3400 && head.length <= 4000, `head has ${head.length}`)
  assert.ok(tail.length > 5400 && tail.length <= 6000, `tail has ${tail.length}`)
  assert.equal(omittedChars, text.length - head.length - tail.length)
  assert.match(kept, new RegExp(`\\[\\.\\.\\. ${omittedChars} of ${text.length} characters left out`))
})

test('the cut never leaves half a character or half a word', () => {
  assert.ok(keepHeadAndTail('😀'.repeat(500), 101).isWellFormed())
  const words = Array.from({ length: 100 }, () => 'secretword').join(' ')
  assert.doesNotMatch(keepHeadAndTail(words, 333), /(?<!secret)word|secret(?!word)/)
})

test('the memory that a buffer takes does not grow with the text', () => {
  const tail = createTail(1000)
  for (let n = 0; n < 100_000; n++) tail.push('0123456789')
  assert.equal(tail.total, 1_000_000)
  assert.equal(tail.read(), '0123456789'.repeat(100))
})
