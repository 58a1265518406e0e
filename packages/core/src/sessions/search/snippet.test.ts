import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { foldText } from './fold.ts'
import { termFinder } from './match.ts'
import { parseQuery } from './parse-query.ts'
import { makeSnippet } from './snippet.ts'

function snippet(content: string, query: string): string {
  return makeSnippet(content, foldText(content), (parseQuery(query)?.terms ?? []).map(termFinder))
}

test('matches are marked as they are written', () => {
  assert.equal(snippet('Run the DEPLOYMENT now', 'deploy*'), 'Run the >>>DEPLOY<<<MENT now')
  assert.equal(snippet('资料庫备份计画', '备份'), '资料庫>>>备份<<<计画')
  assert.equal(
    snippet('Résumé, ﬁle and re\u0301sume\u0301.', 'resume file'),
    '>>>Résumé<<<, >>>ﬁle<<< and >>>re\u0301sume\u0301<<<.',
  )
})

test('the place with most of the terms is shown', () => {
  const content = `alpha ${'x '.repeat(300)} beta alpha ${'y '.repeat(300)} beta`
  assert.match(snippet(content, 'alpha beta'), /^\.\.\.x .* >>>beta<<< >>>alpha<<< y .*\.\.\.$/)
})

test('a snippet is a short part of the text', () => {
  const text = fc.array(fc.constantFrom('apple', ' ', '数据', '🚀', 'é', 'e\u0301', '\n', 'ﬁ'), { maxLength: 300 })
  fc.assert(
    fc.property(text, (parts) => {
      const content = parts.join('')
      const shown = snippet(content, 'apple OR 据 OR e')
      const plain = shown.replaceAll(/>>>|<<<|^\.\.\.|\.\.\.$/g, '')
      assert.ok(content.includes(plain))
      assert.ok(plain.length <= 300)
      assert.ok(plain.isWellFormed())
    }),
  )
})
