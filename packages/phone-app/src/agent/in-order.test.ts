import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './in-order.ts'

const at = (minute: number | null, item: string) => ({
  at: minute === null ? null : `2026-09-02T18:0${minute}:00+00:00`,
  item,
})

test('files stand behind the message that brought them, and messages keep their order', () => {
  const said = [at(1, 'a question'), at(2, 'an answer'), at(null, 'thanks'), at(4, 'another'), at(5, 'its answer')]
  const files = [at(2, 'a picture'), at(2, 'a report'), at(5, 'the last')]
  assert.deepEqual(inOrder(said, files), [
    'a question',
    'an answer',
    'thanks',
    'a picture',
    'a report',
    'another',
    'its answer',
    'the last',
  ])
  assert.deepEqual(inOrder([], files), ['a picture', 'a report', 'the last'])
  assert.deepEqual(
    inOrder(said, []),
    said.map(({ item }) => item),
  )
})
