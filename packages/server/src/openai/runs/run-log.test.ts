import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { HttpError } from '../../http/http-error.ts'
import { createRunLog } from './run-log.ts'

const never = new AbortController().signal

test('a reader that is cut anywhere, any number of times, has every event once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 20 }),
      async (count, cuts) => {
        const log = createRunLog()
        const seen: number[] = []
        let written = 0
        const write = () => {
          if (written < count) log.append({ n: ++written })
          if (written === count) log.close()
        }
        write()
        let after = 0
        for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
          let left = cut
          for await (const { id, data } of log.read(after, never)) {
            assert.equal(data['n'], id)
            seen.push(id)
            after = id
            write()
            if (--left === 0) break
          }
        }
        assert.deepEqual(
          seen,
          Array.from({ length: count }, (_, index) => index + 1),
        )
      },
    ),
    { seed: 6, numRuns: 60 },
  )
})

test('old events are dropped beyond the bound, and who needs them is told so rather than given a gap', async () => {
  const log = createRunLog({ maxEvents: 10, maxChars: 1_000_000 })
  for (let n = 1; n <= 25; n++) log.append({ n })
  log.close()
  assert.throws(() => log.check(0), { status: 410, code: 'events_expired' })
  await assert.rejects(Array.fromAsync(log.read(3, never)), HttpError)
  const rest = await Array.fromAsync(log.read(22, never))
  assert.deepEqual(
    rest.map(({ id }) => id),
    [23, 24, 25],
  )
  assert.throws(() => log.check(26), /no event 26 yet/)
})

test('a reader that waits leaves when it is aborted', async () => {
  const log = createRunLog()
  const abort = new AbortController()
  const waiting = Array.fromAsync(log.read(0, abort.signal))
  abort.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
})
