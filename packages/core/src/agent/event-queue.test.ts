import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventQueue } from './event-queue.ts'

test('values arrive in order and the reader ends when the queue is closed', async () => {
  const queue = new EventQueue<number>()
  for (let i = 0; i < 5; i++) void queue.push(i)
  queue.close()
  assert.deepEqual(await Array.fromAsync(queue), [0, 1, 2, 3, 4])
})

test('a writer waits while the reader is behind by the limit', async () => {
  const queue = new EventQueue<number>(3)
  let written = 0
  const writing = (async () => {
    for (let i = 0; i < 100; i++) {
      await queue.push(i)
      written++
    }
    queue.close()
  })()
  let read = 0
  for await (const value of queue) {
    assert.equal(value, read++)
    assert.ok(written - read <= 3, `${written} written, ${read} read`)
  }
  await writing
  assert.equal(read, 100)
})

test('a reader that leaves sets waiting writers free', async () => {
  const queue = new EventQueue<number>(1)
  const waiting = queue.push(1)
  for await (const value of queue) {
    assert.equal(value, 1)
    break
  }
  await waiting
  assert.equal(queue.push(2), undefined)
})
