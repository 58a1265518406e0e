import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createTokenText } from './token-text.ts'

/** A model whose tokens are bytes. */
const model = { detokenize: (tokens: readonly number[]) => Buffer.from(tokens).toString('utf8') }

test('letters of several tokens come whole, and nothing is lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\uFFFD')),
      (text) => {
        const spoken = createTokenText(model, [])
        const pieces = [...[...Buffer.from(text)].map((byte) => spoken.add(byte)), spoken.end()]
        assert.equal(pieces.join(''), text)
        assert.ok(pieces.every((piece) => !piece.includes('\uFFFD')))
      },
    ),
  )
})

test('bytes that never become a letter are shown as such', () => {
  const spoken = createTokenText(model, [])
  assert.equal(spoken.add(0xf0), '')
  assert.equal(spoken.end(), '\uFFFD')
})
