import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import * as fc from 'fast-check'
import { candidateExpression } from './candidates.ts'
import { foldText } from './fold.ts'
import { compileMatcher } from './match.ts'
import { parseQuery } from './parse-query.ts'
import { indexTokens } from './pieces.ts'

function matches(query: string, content: string): boolean {
  const parsed = parseQuery(query)
  assert.ok(parsed)
  return compileMatcher(parsed)(foldText(content)) !== undefined
}

test('a word stands alone, also beside other scripts', () => {
  assert.ok(matches('docker', '用docker部署'))
  assert.ok(matches('docker', '(Docker)'))
  assert.ok(!matches('docker', 'dockerfile'))
  assert.ok(!matches('docker', 'mydocker docker2'))
  assert.ok(!matches('cafe', 'cafés'))
  assert.ok(matches('docker*', 'dockerfile'))
  assert.ok(matches('aa', 'aaa aa'))
  assert.ok(!matches('x', '𝒳x'))
})

test('the pieces of a phrase follow each other with nothing but separators between', () => {
  assert.ok(matches('node-pty', 'node pty'))
  assert.ok(matches('"node pty"', 'use Node.pty!'))
  assert.ok(!matches('node-pty', 'node the pty'))
  assert.ok(!matches('node-pty', 'anode pty'))
  assert.ok(matches('"node pt"*', 'node-pty'))
  assert.ok(matches('docker部署', '用docker 部署完'))
  assert.ok(!matches('docker部署', 'docker的部署'))
  assert.ok(matches('你好，世界', '说：你好 世界！'))
  assert.ok(!matches('你好，世界', '你好世界'))
})

const character = fc.constantFrom(...Array.from('abé数据库데이터タ 2-."'), '𠮷', 'ж', ' ', ' ')
const text = fc.array(character, { maxLength: 14 }).map((characters) => characters.join(''))
const operator = fc.constantFrom(' ', ' AND ', ' OR ', ' NOT ', '* ', '-', '')
const query = fc.array(fc.tuple(text, operator), { minLength: 1, maxLength: 4 }).map((parts) => parts.flat().join(''))

/** Whether the index proposes a text for a query. */
function openIndex(t: TestContext): (query: string, content: string) => boolean {
  const db = new DatabaseSync(':memory:')
  t.after(() => db.close())
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, content='', contentless_delete=1, detail=none, tokenize='ascii',
    prefix='1 2')`)
  const store = db.prepare('INSERT OR REPLACE INTO t (rowid, x) VALUES (1, ?)')
  const find = db.prepare('SELECT rowid FROM t WHERE t MATCH ?')
  return (query, content) => {
    const parsed = parseQuery(query)
    assert.ok(parsed)
    store.run(indexTokens(foldText(content)))
    return find.all(candidateExpression(parsed.root)).length > 0
  }
}

test('whatever matches is proposed by the index', (t) => {
  const isProposed = openIndex(t)
  fc.assert(
    fc.property(text, query, (content, words) => {
      if (parseQuery(words) && matches(words, content)) assert.ok(isProposed(words, content))
    }),
    { numRuns: 1500 },
  )
})

test('the index leaves nothing out for what it knows only by its parts', (t) => {
  const isProposed = openIndex(t)
  for (const [query, content] of [
    ['a NOT 数据库', 'a 据库 数据'],
    ['a NOT node-pty', 'a pty node'],
    ['a NOT b-c NOT 数', 'a c b'],
    [`a NOT ${'x'.repeat(80)}`, `a ${'x'.repeat(90)}`],
  ] as const) {
    assert.ok(matches(query, content) && isProposed(query, content), query)
  }
  assert.ok(!isProposed('a NOT b', 'a b'))
})

test('any part of a run of Chinese, Japanese or Korean is found in any text around it', () => {
  const runCharacter = fc.constantFrom(...Array.from('数据库迁移脚本データ移行데이터백업'), '𠮷')
  const run = fc.array(runCharacter, { minLength: 1, maxLength: 6 }).map((characters) => characters.join(''))
  fc.assert(
    fc.property(text, run, text, (before, part, after) => {
      assert.ok(matches(part, before + part + after))
      assert.ok(matches(`nothere OR ${part}`, before + part + after))
    }),
  )
})
