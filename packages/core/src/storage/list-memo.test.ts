import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListMemo } from './list-memo.ts'

test('the same items in the same order are worked on once, others anew', () => {
  const memo = createListMemo<object, object>()
  const [a, b] = [{}, {}]
  const made = memo([a, b], () => ({}))
  assert.equal(
    memo([a, b], () => ({})),
    made,
  )
  for (const other of [[b, a], [a], [a, b, a], [a, {}]]) {
    assert.notEqual(
      memo(other, () => ({})),
      made,
    )
  }
})

test('a list that is changed later is another one', () => {
  const memo = createListMemo<string, number>()
  const list = ['a']
  memo(list, () => 1)
  list.push('b')
  assert.equal(
    memo(list, () => 2),
    2,
  )
})

test('only the lists asked for last are kept', () => {
  const memo = createListMemo<number, number>()
  let made = 0
  const ask = (item: number) => memo([item], () => ++made)
  ask(0)
  for (let item = 1; item < 16; item++) ask(item)
  ask(0)
  assert.equal(made, 16)
  ask(16)
  ask(0)
  assert.equal(made, 17)
  ask(1)
  assert.equal(made, 18)
})
