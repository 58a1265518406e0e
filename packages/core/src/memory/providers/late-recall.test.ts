import assert from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { test } from 'node:test'
import { silentLogger } from '../../log/logger.ts'
import { createLateRecall } from './late-recall.ts'

/** A recall whose answers come when the test says so. */
function slowRecall(patienceMs = 5) {
  const asked: { query: string; signal: AbortSignal; answer: PromiseWithResolvers<string> }[] = []
  const late = createLateRecall({
    recall: (query, signal) => {
      const answer = Promise.withResolvers<string>()
      asked.push({ query, signal, answer })
      return answer.promise
    },
    patienceMs,
    log: silentLogger,
  })
  return { asked, late }
}

const signal = () => AbortSignal.timeout(30_000)

test('what is there in time goes with its own message', async () => {
  const { asked, late } = slowRecall(5000)
  const taken = late.take('cat', signal())
  asked[0]?.answer.resolve('Mira')
  assert.equal(await taken, 'Mira')
})

test('what comes late goes with the next message that is late too, once', async () => {
  const { asked, late } = slowRecall()
  assert.equal(await late.take('cat', signal()), '')
  asked[0]?.answer.resolve('Mira')
  await tick()
  assert.equal(await late.take('dog', signal()), 'Mira')
  assert.equal(await late.take('fish', signal()), '')
  assert.deepEqual(
    asked.map(({ query }) => query),
    ['cat', 'dog', 'fish'],
  )
})

test('what comes in time is told rather than what came late before', async () => {
  const { asked, late } = slowRecall()
  await late.take('cat', signal())
  asked[0]?.answer.resolve('Mira')
  await tick()
  const taken = late.take('dog', signal())
  asked[1]?.answer.resolve('Rex')
  assert.equal(await taken, 'Rex')
})

test('a new message ends the recall of the one before', async () => {
  const { asked, late } = slowRecall()
  await late.take('cat', signal())
  await late.take('dog', signal())
  assert.deepEqual(
    asked.map(({ signal }) => signal.aborted),
    [true, false],
  )
  asked[0]?.answer.resolve('Mira')
  await tick()
  assert.equal(await late.take('fish', signal()), '')
  late.close()
  assert.equal(asked[2]?.signal.aborted, true)
})

test('a failure in time is thrown, a late one spoils nothing', async () => {
  const { asked, late } = slowRecall()
  await late.take('cat', signal())
  asked[0]?.answer.reject(new Error('late'))
  await tick()
  const taken = late.take('dog', signal())
  asked[1]?.answer.reject(new Error('in time'))
  await assert.rejects(taken, { message: 'in time' })
})

test('cancelling ends the recall and passes the reason', async () => {
  const { asked, late } = slowRecall(5000)
  const abort = new AbortController()
  const taken = late.take('cat', abort.signal)
  const reason = new Error('stop')
  abort.abort(reason)
  await assert.rejects(taken, (error) => error === reason)
  assert.equal(asked[0]?.signal.aborted, true)
  asked[0]?.answer.reject(new Error('aborted'))
})
