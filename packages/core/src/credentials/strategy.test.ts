import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { temporaryHome } from '@hermes/testing'
import { CredentialError } from './credential-error.ts'
import { manualClock } from './manual-clock.ts'
import { type Candidate, pick, type PoolStrategy } from './strategy.ts'
import { authJson, openTestPool, signal } from './test-pool.ts'

const strategies: readonly PoolStrategy[] = ['fill_first', 'round_robin', 'least_used', 'random']

const candidates: fc.Arbitrary<readonly Candidate[]> = fc.uniqueArray(
  fc.record({ id: fc.string({ minLength: 1 }), requestCount: fc.nat(9), lastUse: fc.nat(9) }),
  { selector: ({ id }) => id, maxLength: 6 },
)

test('every strategy picks one of the keys, and none only where there is none', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...strategies),
      candidates,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (name, keys, at) => {
        const picked = pick(name, keys, () => at)
        assert.equal(picked === undefined, keys.length === 0)
        if (picked) assert.ok(keys.includes(picked))
        if (picked && name === 'least_used') assert.ok(keys.every((key) => key.requestCount >= picked.requestCount))
        if (picked && name === 'round_robin') assert.ok(keys.every((key) => key.lastUse >= picked.lastUse))
        if (picked && name === 'fill_first') assert.equal(picked, keys[0])
      },
    ),
  )
})

type Step =
  | { readonly type: 'request'; readonly pool: number; readonly restMs: number }
  | { readonly type: 'wait'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('request' as const),
    pool: fc.nat(1),
    restMs: fc.constantFrom(0, 0, 0, 1, 10, 1000, 60_000),
  }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, 10, 500, 60_000) }),
)

test('whatever happens, no process is lent a key that rests, and one is lent when any does not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...strategies), fc.array(step, { maxLength: 14 }), async (strategy, steps) => {
      await using home = await temporaryHome({
        'auth.json': authJson({ xai: ['made-up-1', 'made-up-2', 'made-up-3'] }),
      })
      const clock = manualClock()
      const options = { clock, strategies: { xai: strategy } }
      const pools = [openTestPool(home.environment, options).pool, openTestPool(home.environment, options).pool]
      const until = new Map(['key-1', 'key-2', 'key-3'].map((id) => [id, 0]))
      let lent = 0
      for (const one of steps) {
        if (one.type === 'wait') {
          clock.advance(one.ms)
          continue
        }
        const free = [...until].filter(([, ms]) => ms <= clock.now()).map(([id]) => id)
        try {
          const lease = await pools[one.pool]!.acquire('xai', signal)
          lent += 1
          assert.ok(free.includes(lease.id), `${lease.id} rests`)
          if (one.restMs > 0) until.set(lease.id, clock.now() + one.restMs)
          await lease.report(one.restMs > 0 ? { code: 'rate-limited', retryAfterMs: one.restMs } : 'ok')
        } catch (error) {
          assert.ok(error instanceof CredentialError, String(error))
          assert.deepEqual([error.code, free], ['cooling', []])
          assert.equal(error.availableAtMs, Math.min(...until.values()))
        }
      }
      for (const pool of pools) await pool.save()
      const uses = (await pools[0]!.list('xai')).reduce((sum, { requestCount }) => sum + requestCount, 0)
      assert.equal(uses, lent)
    }),
    { numRuns: 25 },
  )
})
