import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { candidateExpression } from './candidates.ts'
import { parseQuery, type QueryNode } from './parse-query.ts'

/** A query as text again, every part in brackets. */
function show(text: string): string | undefined {
  const query = parseQuery(text)
  return query && showNode(query.root)
}

function showNode(node: QueryNode): string {
  if (node.type === 'term') return node.pieces.map((piece) => piece.text).join('~') + (node.isPrefix ? '*' : '')
  if (node.type === 'not') return `(${showNode(node.wanted)} - ${showNode(node.unwanted)})`
  return `(${node.nodes.map(showNode).join(node.type === 'and' ? ' & ' : ' | ')})`
}

test('neighbours bind tightest, then NOT, AND, OR', () => {
  assert.equal(show('a b OR c'), '((a & b) | c)')
  assert.equal(show('a OR b AND c'), '(a | (b & c))')
  assert.equal(show('a b NOT c d'), '((a & b) - (c & d))')
  assert.equal(show('a NOT b NOT c'), '((a - b) - c)')
  assert.equal(show('a AND b NOT c'), '(a & (b - c))')
})

test('phrases, joined words and beginnings are one term', () => {
  assert.equal(show('"Hello, World" x'), '(hello~world & x)')
  assert.equal(show('“数据 库” node-pty a.b@c'), '(数据~库 & node~pty & a~b~c)')
  assert.equal(show('dep* "dep loy"*'), '(dep* & dep~loy*)')
  assert.equal(show('用docker'), '用~docker')
  assert.equal(show('a*b'), '(a* & b)')
})

test('signs and operators without a term are ignored; operators alone are words', () => {
  assert.equal(show('AND a OR'), 'a')
  assert.equal(show('a AND OR b'), '(a | b)')
  assert.equal(show('a AND !!! "" b'), '(a & b)')
  assert.equal(show('"unclosed (x) ^y +z -w {v}'), '(unclosed & x & y & z & w & v)')
  assert.equal(show('and or not'), '(and & or & not)')
  assert.equal(show('OR'), 'or')
  assert.equal(show(' ？！ *'), undefined)
})

test('a pasted text is cut to a query', () => {
  assert.equal(parseQuery('word '.repeat(5000))?.terms.length, 40)
  assert.equal(parseQuery(`"${'a b '.repeat(500)}"`)?.terms[0]?.pieces.length, 60)
})

test('every query is one that SQLite accepts', () => {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, content='', detail=none, tokenize='ascii', prefix='1')`)
  const statement = db.prepare('SELECT rowid FROM t WHERE t MATCH ?')
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('"', '*', ' AND ', ' OR ', ' NOT ', ' ', '数据库', 'x'.repeat(200), '\0', 'NEAR/2', 'أ', 'ก็'),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const query = parseQuery(parts.join(''))
      if (query) statement.all(candidateExpression(query.root))
    }),
    { numRuns: 400 },
  )
  db.close()
})
