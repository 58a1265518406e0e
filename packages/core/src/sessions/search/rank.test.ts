import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rank } from './rank.ts'

const message = (name: string, counts: number[], length = 100, timestamp = 0) => ({ name, counts, length, timestamp })
const order = (...messages: ReturnType<typeof message>[]) => rank(messages).map(({ name }) => name)

test('more of a term, a shorter text, a rarer term and a newer message each come first', () => {
  assert.deepEqual(order(message('once', [1]), message('often', [5])), ['often', 'once'])
  assert.deepEqual(order(message('long', [1], 900), message('short', [1], 50)), ['short', 'long'])
  assert.deepEqual(order(message('common', [1, 0]), message('common too', [1, 0]), message('rare', [0, 1])), [
    'rare',
    'common',
    'common too',
  ])
  assert.deepEqual(order(message('old', [1], 100, 0), message('new', [1], 100, 1e10)), ['new', 'old'])
})

test('a much better match beats a newer one', () => {
  assert.deepEqual(order(message('new', [1], 800, 1e12), message('good', [6], 100, 0)), ['good', 'new'])
})

test('nothing is ranked as nothing', () => {
  assert.deepEqual(rank([]), [])
})
