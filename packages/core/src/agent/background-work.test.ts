import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogFields } from '../log/logger.ts'
import { silentLogger } from '../log/logger.ts'
import { createBackgroundWork } from './background-work.ts'

test('disposing stops what goes on, waits until it has ended, and begins nothing more', async () => {
  const done: string[] = []
  const work = createBackgroundWork(silentLogger)
  work.run('long', async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    done.push('stopped')
  })
  assert.equal(work.isRunning(), true)
  await work[Symbol.asyncDispose]()
  assert.deepEqual(done, ['stopped'])
  assert.equal(work.isRunning(), false)
  work.run('late', async () => void done.push('late'))
  assert.deepEqual(done, ['stopped'])
})

test('of one name one goes on at a time; a failure is logged and harms nobody', async () => {
  const logged: LogFields[] = []
  await using work = createBackgroundWork({ ...silentLogger, debug: (fields) => logged.push(fields) })
  const gate = Promise.withResolvers<void>()
  let begun = 0
  const count = async () => {
    begun += 1
    await gate.promise
    throw new Error('broken')
  }
  work.run('title', count)
  work.run('title', count)
  assert.equal(begun, 1)
  gate.resolve()
  while (work.isRunning()) await new Promise(setImmediate)
  work.run('title', count)
  assert.equal(begun, 2)
  while (work.isRunning()) await new Promise(setImmediate)
  assert.deepEqual(
    logged.map(({ work: name }) => name),
    ['title', 'title'],
  )
})
