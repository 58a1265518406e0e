import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { SessionError } from './store.ts'
import { cleanTitle, lineageBase, lineageNumber, maxTitleLength, nextInLineage } from './titles.ts'

test('a cleaned title is one visible line and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (text) => {
      const cleaned = cleanTitle(text)
      if (cleaned === undefined) return
      assert.equal(cleanTitle(cleaned), cleaned)
      assert.ok(!/[\p{Cc}\u200b-\u200f\u2060-\u2069\ufeff]|\s\s|^\s|\s$/u.test(cleaned), JSON.stringify(cleaned))
    }),
  )
})

test('the length of a title is counted in characters, after cleaning', () => {
  assert.equal(cleanTitle(`  ${'🚀'.repeat(maxTitleLength)}\n`), '🚀'.repeat(maxTitleLength))
  assert.throws(
    () => cleanTitle('x'.repeat(maxTitleLength + 1)),
    (error) => error instanceof SessionError && error.code === 'title-too-long',
  )
})

test('the next title of a lineage follows its highest number', () => {
  assert.equal(nextInLineage('plan', []), 'plan')
  assert.equal(nextInLineage('plan', ['plan']), 'plan #2')
  assert.equal(nextInLineage('plan', ['plan #7', 'plan', 'plan #b', 'planet #9']), 'plan #8')
  assert.deepEqual([lineageBase('a #2 #3'), lineageBase('a #2x'), lineageBase('a')], ['a #2', 'a #2x', 'a'])
  assert.deepEqual(
    [lineageNumber('a', 'a'), lineageNumber('a', 'a #12'), lineageNumber('a', 'ab #1')],
    [1, 12, undefined],
  )
})

test('a numbered title stays within the limit', () => {
  const base = '数'.repeat(maxTitleLength)
  const next = nextInLineage(base, [base])
  assert.equal(Array.from(next).length, maxTitleLength)
  assert.ok(next.endsWith('数 #2'))
})
