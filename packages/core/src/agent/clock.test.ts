import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { systemClock, wallTime } from './clock.ts'

test("the machine's own calendar and the zone's say the same", () => {
  const machine = systemClock()
  const zone = { now: () => machine.now(), timeZone: machine.timeZone }
  assert.equal(machine.isMachineZone, true)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
      assert.deepEqual(wallTime(machine, seconds * 1000), wallTime(zone, seconds * 1000))
    }),
  )
})

test('a zone has its own day', () => {
  const at = Date.parse('2026-03-29T00:30:00Z')
  const shown = (timeZone: string) => wallTime({ now: () => at, timeZone })
  assert.deepEqual(shown('Pacific/Auckland'), {
    year: 2026,
    month: 3,
    day: 29,
    weekday: 0,
    hour: 13,
    minute: 30,
    second: 0,
  })
  assert.deepEqual(shown('America/New_York'), {
    year: 2026,
    month: 3,
    day: 28,
    weekday: 6,
    hour: 20,
    minute: 30,
    second: 0,
  })
})

test('a clock of a named zone shows what the zone does', () => {
  const at = Date.parse('2026-03-29T00:30:00Z')
  const clock = systemClock('Pacific/Auckland')
  for (const ms of [at, at + 3_600_000, at]) {
    assert.deepEqual(wallTime(clock, ms), wallTime({ now: () => ms, timeZone: 'Pacific/Auckland' }))
  }
})

test('an unknown zone is the machine’s', () => {
  assert.equal(systemClock('Mars/Olympus').isMachineZone, true)
  assert.equal(systemClock('Asia/Tokyo').timeZone, 'Asia/Tokyo')
})
