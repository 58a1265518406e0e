import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateLimitBook } from './rate-limits.ts'

const limits = (used: number) => [{ name: 'requests', used }]

test('what is told last of a key holds and comes first; keys are few', () => {
  const book = createRateLimitBook()
  book.note({ provider: 'openai', toldAtMs: 1, limits: limits(0.1) })
  book.note({ provider: 'openai', key: 'work', toldAtMs: 2, limits: limits(0.2) })
  book.note({ provider: 'openai', toldAtMs: 3, limits: limits(0.3) })
  assert.deepEqual(book.all(), [
    { provider: 'openai', toldAtMs: 3, limits: limits(0.3) },
    { provider: 'openai', key: 'work', toldAtMs: 2, limits: limits(0.2) },
  ])
  for (let n = 0; n < 200; n++) book.note({ provider: 'openai', key: `k${n}`, toldAtMs: n, limits: limits(0) })
  assert.equal(book.all().length, 64)
  assert.equal(book.all()[0]?.key, 'k199')
})
