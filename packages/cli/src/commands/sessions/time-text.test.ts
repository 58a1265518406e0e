import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateTimeText, parseAge, timeAgo } from './time-text.ts'

const clock = { now: () => Date.UTC(2026, 2, 10, 12), timeZone: 'Asia/Tokyo' }
const hour = 3_600_000

test('times are told as people tell them', () => {
  const ago = (ms: number) => timeAgo(clock.now() - ms, clock)
  assert.equal(ago(-5000), 'just now')
  assert.equal(ago(59_000), 'just now')
  assert.equal(ago(61_000), '1m ago')
  assert.equal(ago(23.9 * hour), '23h ago')
  assert.equal(ago(47 * hour), 'yesterday')
  assert.equal(ago(49 * hour), '2d ago')
  assert.equal(ago(8 * 24 * hour), '2026-03-02')
})

test('dates are those of the time zone', () => {
  assert.equal(dateTimeText(Date.UTC(2026, 2, 9, 23, 5), clock), '2026-03-10 08:05')
})

test('ages are a number and a unit', () => {
  assert.deepEqual(
    [parseAge('36h'), parseAge('30d'), parseAge('2W'), parseAge('7')],
    [36, 720, 336, 168].map((h) => h * hour),
  )
  for (const text of ['', 'd', '-3d', '1.5d', '3m', 'soon', '9999999d']) assert.equal(parseAge(text), undefined)
})
