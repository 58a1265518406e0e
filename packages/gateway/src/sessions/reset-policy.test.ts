import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { resetPolicyOf, resetReason } from './reset-policy.ts'

const at = (text: string) => Date.parse(text)
const clockAt = (text: string, timeZone = 'Europe/Berlin') => ({ now: () => at(text), timeZone })
const both = { mode: 'both', atHour: 4, idleMinutes: 1440 } as const

test('a chat that was idle too long begins anew', () => {
  const clock = clockAt('2026-03-10T12:00:00Z')
  const idle = { ...both, mode: 'idle', idleMinutes: 30 } as const
  assert.equal(resetReason(idle, at('2026-03-10T11:31:00Z'), clock), undefined)
  assert.equal(resetReason(idle, at('2026-03-10T11:29:00Z'), clock), 'idle')
})

test('days begin at their own hour of the profile’s clock, over changes of the clock too', () => {
  const daily = { ...both, mode: 'daily' } as const
  const last = at('2026-03-28T23:00:00Z')
  // 03:59 and 04:00 in Berlin on the day that summer time begins (01:00 UTC).
  assert.equal(resetReason(daily, last, clockAt('2026-03-29T01:59:00Z')), undefined)
  assert.equal(resetReason(daily, last, clockAt('2026-03-29T02:00:00Z')), 'daily')
  assert.equal(resetReason(daily, at('2026-03-29T02:00:00Z'), clockAt('2026-03-29T20:00:00Z')), undefined)
  assert.equal(resetReason({ ...daily, mode: 'none' }, last, clockAt('2027-01-01T00:00:00Z')), undefined)
})

test('a platform’s policy goes before that of a kind of chat, and that before the general one', () => {
  const config = configSchema.parse({
    session_reset: { mode: 'both', at_hour: 5, idle_minutes: 100 },
    reset_by_type: { group: { mode: 'idle', idle_minutes: 10 } },
    reset_by_platform: { telegram: { idle_minutes: 7 }, discord: { mode: 'nonsense', at_hour: 99 } },
  })
  assert.deepEqual(resetPolicyOf(config, 'slack', 'dm'), { mode: 'both', atHour: 5, idleMinutes: 100 })
  assert.deepEqual(resetPolicyOf(config, 'slack', 'group'), { mode: 'idle', atHour: 5, idleMinutes: 10 })
  assert.deepEqual(resetPolicyOf(config, 'telegram', 'group'), { mode: 'idle', atHour: 5, idleMinutes: 7 })
  assert.deepEqual(resetPolicyOf(config, 'discord', 'dm'), { mode: 'both', atHour: 5, idleMinutes: 100 })
})
