import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes, gatewayStops } from './lanes.ts'

test('a lane does one thing after the other, and lanes do not wait for each other', async () => {
  await using lanes = createLanes(() => {})
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  lanes.add('a', async () => {
    await gate.promise
    order.push('a1')
  })
  lanes.add('a', async () => void order.push('a2'))
  lanes.add('b', async () => void order.push('b1'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(order, ['b1'])
  assert.deepEqual([lanes.isBusy('a'), lanes.waiting('a'), lanes.isBusy('b')], [true, 1, false])
  gate.resolve()
  await lanes.idle(AbortSignal.timeout(30_000))
  assert.deepEqual(order, ['b1', 'a1', 'a2'])
})

test('what runs can be interrupted; what waits goes on, and failures of others are told', async () => {
  const failures: unknown[] = []
  await using lanes = createLanes((key, error) => failures.push([key, String(error)]))
  const done: string[] = []
  lanes.add('a', (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))))
  lanes.add('a', async () => void done.push('next'))
  lanes.add('b', () => Promise.reject(new Error('broke')))
  assert.equal(lanes.interrupt('a', 'stop'), true)
  await lanes.idle(AbortSignal.timeout(30_000))
  assert.deepEqual(done, ['next'])
  assert.deepEqual(failures, [['b', 'Error: broke']])
  assert.equal(lanes.interrupt('a', 'stop'), false)
})

test('a lane that is cleared ends what runs and, at once, the messages that wait; what else waits goes on', async () => {
  const failures: unknown[] = []
  await using lanes = createLanes((_key, error) => failures.push(error))
  const source = { platform: 'p', account: 'a', chatId: '1', chatType: 'dm' } as const
  const message = (text: string, isInternal = false) => ({
    eventId: text,
    source,
    text,
    attachments: [],
    sentAt: 0,
    isInternal,
  })
  const ended: string[] = []
  const work = (name: string) => async (signal: AbortSignal) => {
    ended.push(signal.aborted ? `${name}: ${signal.reason.message}` : name)
    signal.throwIfAborted()
  }
  const running = Promise.withResolvers<void>()
  lanes.add('a', () => running.promise, message('running'))
  lanes.add('a', work('first'), message('first'))
  lanes.add('a', work('news'), message('news', true))
  lanes.add('a', work('aside'))
  lanes.add('a', work('second'), message('second'))
  assert.deepEqual(
    lanes.clear('a', 'stop').map(({ text }) => text),
    ['first', 'second'],
  )
  assert.deepEqual(ended, ['first: stop', 'second: stop'])
  assert.equal(lanes.waiting('a'), 2)
  running.resolve()
  await lanes.idle(AbortSignal.timeout(30_000))
  assert.deepEqual(ended.slice(2), ['news', 'aside'])
  assert.deepEqual([failures, lanes.clear('a', 'stop')], [[], []])
})

test('closing ends what runs and forgets what waits', async () => {
  const lanes = createLanes(() => {})
  let reason = ''
  lanes.add('a', async (signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    reason = signal.reason.message
  })
  lanes.add('a', () => Promise.reject(new Error('must not run')))
  await lanes[Symbol.asyncDispose]()
  assert.equal(reason, gatewayStops)
  lanes.add('b', () => Promise.reject(new Error('must not run')))
  assert.equal(lanes.busy, 0)
})
