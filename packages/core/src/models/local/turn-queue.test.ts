import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnQueue } from './turn-queue.ts'

const never = new AbortController().signal

test('one after the other has the turn, in the order in which they came', async () => {
  let idle = 0
  const queue = createTurnQueue({ most: 4, onIdle: () => idle++ })
  const order: string[] = []
  const leave = await queue.enter(never)
  const others = ['a', 'b'].map(async (name) => {
    const next = await queue.enter(never)
    order.push(name)
    next()
  })
  assert.deepEqual([order, idle, queue.isIdle], [[], 0, false])
  leave()
  leave()
  await Promise.all(others)
  assert.deepEqual([order, idle, queue.isIdle], [['a', 'b'], 1, true])
})

test('too many are refused, and who is stopped makes room', async () => {
  const queue = createTurnQueue({ most: 1, onIdle: () => {} })
  const leave = await queue.enter(never)
  const stop = new AbortController()
  const stopped = queue.enter(stop.signal)
  await assert.rejects(queue.enter(never), { code: 'overloaded' })
  stop.abort(new Error('gone'))
  await assert.rejects(stopped, /gone/)
  await assert.rejects(queue.enter(stop.signal), /gone/)
  const next = queue.enter(never)
  leave()
  assert.equal(typeof (await next), 'function')
})
