import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { splitByBytes } from './split-by-bytes.ts'

test('parts put together are the text, and none is longer than the limit or cuts a character', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 })
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 60 }), (whole, max) => {
      const parts = splitByBytes(whole, max)
      assert.equal(parts.join(''), whole)
      for (const part of parts) assert.ok(part !== '' && part.isWellFormed() && Buffer.byteLength(part) <= max)
    }),
  )
})

test('a text is cut behind a sentence, else behind a word', () => {
  assert.deepEqual(splitByBytes('One two. Three four.', 12), ['One two. ', 'Three four.'])
  assert.deepEqual(splitByBytes('elephant giraffe', 12), ['elephant ', 'giraffe'])
})
