import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateTokens } from './estimate-tokens.ts'

test('a token is about four characters of English, and fewer of scripts whose characters are words', () => {
  assert.equal(estimateTokens(''), 0)
  assert.equal(estimateTokens('a'), 1)
  assert.equal(estimateTokens('x'.repeat(400)), 100)
  assert.equal(estimateTokens('数据库'.repeat(100)), 225)
})
