import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantMs, resetTimeMs } from './cooldown.ts'

const now = Date.UTC(2026, 0, 1)
const inSeconds = (s: number): number => now + s * 1000

test('an instant is read from seconds, milliseconds and ISO text, and from nothing else', () => {
  const at = Date.UTC(2026, 5, 1)
  for (const written of [at / 1000, at, String(at / 1000), '2026-06-01T00:00:00Z', '2026-06-01T02:00:00+02:00']) {
    assert.equal(instantMs(written), at, String(written))
  }
  for (const nothing of [null, undefined, '', 'soon', 0, -5, Number.NaN]) assert.equal(instantMs(nothing), undefined)
})

const told: readonly [name: string, hints: Parameters<typeof resetTimeMs>[0], at: number | undefined][] = [
  ['seconds in retry-after', { headers: { 'retry-after': '30' } }, inSeconds(30)],
  ['a date in retry-after', { headers: { 'retry-after': 'Thu, 01 Jan 2026 00:05:00 GMT' } }, inSeconds(300)],
  ['milliseconds in retry-after-ms', { headers: { 'retry-after-ms': '1500' } }, inSeconds(1.5)],
  [
    'a span for the limit that is used up',
    {
      headers: {
        'x-ratelimit-remaining-requests': '5',
        'x-ratelimit-reset-requests': '1h',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
      },
    },
    inSeconds(360),
  ],
  [
    'an ISO instant for the limit that is used up',
    {
      headers: {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:01:00Z',
      },
    },
    inSeconds(60),
  ],
  ['milliseconds since the epoch', { headers: { 'x-ratelimit-reset': String(inSeconds(90)) } }, inSeconds(90)],
  ['seconds since the epoch', { headers: { 'x-ratelimit-reset': String(inSeconds(90) / 1000) } }, inSeconds(90)],
  ['words', { text: 'Rate limit reached. Please try again in 20s.' }, inSeconds(20)],
  ['words with minutes', { text: 'retry after 5 minutes' }, inSeconds(300)],
  ['words with milliseconds', { text: 'Please try again in 450ms' }, inSeconds(0.45)],
  ['a delay field', { text: '{"quotaResetDelay":"1h2m3.5s"}' }, inSeconds(3723.5)],
  ['an instant field', { text: `{"resets_at": ${inSeconds(120) / 1000}}` }, inSeconds(120)],
  ['a seconds field', { text: '{"resets_in_seconds": 75}' }, inSeconds(75)],
  ['an instant in words', { text: 'quota resets at 2026-01-01T01:00:00Z' }, inSeconds(3600)],
  ['nothing', { headers: { 'content-type': 'text/plain' }, text: 'Too many requests' }, undefined],
  ['what is over already', { headers: { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' } }, now],
  ['more than a month', { headers: { 'retry-after': '99999999' } }, undefined],
]

for (const [name, hints, at] of told) {
  test(`a reset time is understood from ${name}`, () => assert.equal(resetTimeMs(hints, now), at))
}
