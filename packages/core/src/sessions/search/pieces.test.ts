import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexTokens, longestWord, runPairs, splitPieces } from './pieces.ts'

test('text is split at separators and where scripts meet', () => {
  const split = (text: string) => splitPieces(text).map(({ kind, text }) => `${kind}:${text}`)
  assert.deepEqual(split('用docker部署, v2的api'), [
    'run:用',
    'word:docker',
    'run:部署',
    'word:v2',
    'run:的',
    'word:api',
  ])
  assert.deepEqual(split('데이터를 node-pty_x'), ['run:데이터를', 'word:node', 'word:pty', 'word:x'])
  assert.deepEqual(split('データベース、々〇'), ['run:データベース', 'run:々〇'])
  assert.deepEqual(split('हिन्दी докер'), ['word:हिन्दी', 'word:докер'])
  assert.deepEqual(split('!!! 🚀 …'), [])
})

test('every character of a run begins a token, each token once', () => {
  assert.equal(indexTokens('数据库 数据 abc abc'), '数据 据库 库 据 abc')
  assert.equal(indexTokens('𠮷野家'), '𠮷野 野家 家')
  assert.equal(indexTokens('a b a'), 'a b')
  assert.equal(indexTokens('…'), '')
  assert.deepEqual(runPairs('据'), [])
})

test('a long word is indexed by its beginning', () => {
  assert.equal(indexTokens('x'.repeat(5000)).length, longestWord)
  assert.equal(indexTokens(`é${'x'.repeat(5000)}`).length, longestWord)
})
