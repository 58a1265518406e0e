import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatContext, formatCount } from './token-count.ts'

test('token counts are short', () => {
  const shown = [0, 999, 1000, 12_345, 128_000, 999_499, 999_500, 1_234_567].map(formatCount)
  assert.deepEqual(shown, ['0', '999', '1k', '12.3k', '128k', '999k', '1M', '1.2M'])
})

test('the use of the context window is shown in tokens and percent', () => {
  assert.equal(formatContext(12_800, 128_000), '12.8k of 128k (10%)')
  assert.equal(formatContext(5, 0), '5 of 0 (500%)')
})
