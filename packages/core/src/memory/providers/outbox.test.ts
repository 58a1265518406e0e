import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { silentLogger } from '../../log/logger.ts'
import { MemoryProviderError } from '../memory-provider-error.ts'
import { createOutbox } from './outbox.ts'

const signal = () => AbortSignal.timeout(30_000)

const failures = {
  unreachable: () => new MemoryProviderError('unreachable', 'down'),
  busy: () => new MemoryProviderError('refused', 'too many', { status: 429 }),
  refused: () => new MemoryProviderError('refused', 'no', { status: 400 }),
}

test('everything arrives once and in order, however often the service is away between', async () => {
  const outcome = fc.constantFrom('ok', 'ok', 'unreachable', 'busy')
  const rounds = fc.array(fc.record({ items: fc.nat({ max: 5 }), outcomes: fc.array(outcome, { maxLength: 5 }) }))
  await fc.assert(
    fc.asyncProperty(rounds, fc.integer({ min: 1, max: 4 }), async (rounds, batchSize) => {
      const arrived: number[] = []
      let outcomes: string[] = []
      const outbox = createOutbox<{ readonly id: number }>({
        batchSize,
        async send(items) {
          assert.ok(items.length <= batchSize)
          const outcome = outcomes.shift() ?? 'ok'
          if (outcome === 'unreachable' || outcome === 'busy') throw failures[outcome]()
          arrived.push(...items.map(({ id }) => id))
        },
        log: silentLogger,
      })
      let next = 0
      for (const round of rounds) {
        outcomes = [...round.outcomes]
        for (let index = 0; index < round.items; index++) outbox.add({ id: next++ })
        await outbox.flush(signal()).catch((error: unknown) => assert.ok(error instanceof MemoryProviderError))
      }
      outcomes = []
      await outbox.flush(signal())
      assert.deepEqual(
        arrived,
        Array.from({ length: next }, (_, index) => index),
      )
      assert.equal(outbox.size, 0)
    }),
    { numRuns: 100 },
  )
})

test('what is refused for good is given up, and what waits behind it goes on', async () => {
  const arrived: string[] = []
  const outbox = createOutbox<{ readonly text: string }>({
    batchSize: 1,
    async send([item]) {
      if (item?.text === 'bad') throw failures.refused()
      arrived.push(item?.text ?? '')
    },
    log: silentLogger,
  })
  outbox.add({ text: 'bad' }, { text: 'good' })
  await assert.rejects(outbox.flush(signal()), { code: 'refused' })
  await outbox.flush(signal())
  assert.deepEqual(arrived, ['good'])
})

test('no more waits than may, and the oldest goes first', async () => {
  const arrived: number[] = []
  const outbox = createOutbox<{ readonly id: number }>({
    batchSize: 10,
    limit: 3,
    send: async (items) => void arrived.push(...items.map(({ id }) => id)),
    log: silentLogger,
  })
  for (let id = 0; id < 5; id++) outbox.add({ id })
  assert.equal(outbox.size, 3)
  await outbox.flush(signal())
  assert.deepEqual(arrived, [2, 3, 4])
})

test('two flushes at a time send nothing twice', async () => {
  const arrived: number[] = []
  const outbox = createOutbox<{ readonly id: number }>({
    batchSize: 1,
    async send(items) {
      await Promise.resolve()
      arrived.push(...items.map(({ id }) => id))
    },
    log: silentLogger,
  })
  outbox.add({ id: 1 }, { id: 2 })
  await Promise.all([outbox.flush(signal()), outbox.flush(signal())])
  assert.deepEqual(arrived, [1, 2])
})
