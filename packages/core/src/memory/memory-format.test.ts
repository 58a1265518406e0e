import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { countChars, isOneEntry, joinEntries, parseEntries, promptBlock, usageText } from './memory-format.ts'

const entry = fc
  .string({ unit: fc.constantFrom('a', 'ß', '漢', '😀', ' ', '\n', '§', '-'), minLength: 1, maxLength: 20 })
  .map((text) => text.trim())
  .filter(isOneEntry)

test('what is joined is parsed to the same entries', () => {
  fc.assert(
    fc.property(fc.uniqueArray(entry, { maxLength: 8 }), (entries) => {
      assert.deepEqual(parseEntries(joinEntries(entries)), entries)
    }),
    { numRuns: 500 },
  )
})

test('any text parses to entries that are each one entry, and to the same ones again', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '§', '\n', '\r\n', ' ', '\uFEFF'), maxLength: 30 }), (text) => {
      const entries = parseEntries(text)
      assert.ok(entries.every(isOneEntry))
      assert.deepEqual(parseEntries(joinEntries(entries)), entries)
    }),
    { numRuns: 1_000 },
  )
})

test('a file edited by hand is understood', () => {
  assert.deepEqual(parseEntries('\uFEFFone\r\n§\r\ntwo\r\nlines\r\n§\r\n\r\n§\r\none\r\n'), ['one', 'two\nlines'])
  assert.deepEqual(parseEntries('costs 5 § a day\n §\nstill the same'), ['costs 5 § a day\n §\nstill the same'])
  assert.deepEqual(parseEntries(''), [])
})

test('usage counts characters as people do', () => {
  assert.equal(countChars('a😀漢'), 3)
  assert.equal(usageText(1_474, 2_200), '67% — 1,474/2,200 chars')
  assert.equal(usageText(3_000, 2_200), '100% — 3,000/2,200 chars')
  assert.equal(usageText(0, 1_000_000), '0% — 0/1,000,000 chars')
})

test('the block of the prompt has a rule, a heading and the entries', () => {
  const block = promptBlock('MEMORY (your personal notes)', ['one', 'two'], 100)
  const rule = '═'.repeat(46)
  assert.equal(block, `${rule}\nMEMORY (your personal notes) [9% — 9/100 chars]\n${rule}\none\n§\ntwo`)
  assert.equal(promptBlock('X', [], 100), '')
})

test('a file that is far too long does not fill the prompt', () => {
  const block = promptBlock(
    'X',
    Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(100)}`),
    2_200,
  )
  assert.ok(block.length < 21_000)
  assert.match(block, /more entries are left out/)
})
