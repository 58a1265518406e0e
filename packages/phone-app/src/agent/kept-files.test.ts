import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beyondBounds } from './kept-files.ts'

const file = (id: number, size: number) => ({ id: String(id), blob: { size } })
const ids = (files: readonly { readonly id: string }[]) => files.map(({ id }) => id)

test('the oldest files go where there are too many or too much of them', () => {
  const many = Array.from({ length: 203 }, (_, id) => file(id, 1))
  assert.deepEqual(ids(beyondBounds(many)), ['0', '1', '2'])
  assert.deepEqual(ids(beyondBounds([file(1, 150_000_000), file(2, 60_000_000), file(3, 1)])), ['1'])
  assert.deepEqual(beyondBounds([file(1, 1), file(2, 2)]), [])
  assert.deepEqual(beyondBounds([]), [])
})
