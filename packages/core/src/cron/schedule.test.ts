import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { CronError } from './cron-error.ts'
import { checkSchedule, parseSchedule } from './parse-schedule.ts'
import { timetableOf } from './schedule.ts'
import { zoneNamed } from './test-cron.ts'
import { parseMoment } from './zone.ts'

const minute = 60_000
const berlin = zoneNamed('Europe/Berlin')
/** Saturday evening; at two the next morning the clock goes to three. */
const now = Date.parse('2026-03-28T20:00:00Z')

const read: readonly (readonly [text: string, schedule: object, next: string])[] = [
  ['every 30m', { kind: 'interval', minutes: 30, display: 'every 30m' }, '2026-03-28T21:30:00+01:00'],
  ['Every 2 Hours', { kind: 'interval', minutes: 120, display: 'every 120m' }, '2026-03-28T23:00:00+01:00'],
  ['every 1 day', { kind: 'interval', minutes: 1440, display: 'every 1440m' }, '2026-03-29T22:00:00+02:00'],
  ['30 2 * * *', { kind: 'cron', expr: '30 2 * * *', display: '30 2 * * *' }, '2026-03-29T03:00:00+02:00'],
  ['0 9 * * MON', { kind: 'cron', expr: '0 9 * * MON', display: '0 9 * * MON' }, '2026-03-30T09:00:00+02:00'],
  ['0 9 * * TUE', { kind: 'cron', expr: '0 9 * * TUE', display: '0 9 * * TUE' }, '2026-03-31T09:00:00+02:00'],
  ['@daily', { kind: 'cron', expr: '@daily', display: '@daily' }, '2026-03-29T00:00:00+01:00'],
  [
    'every weekday at 9',
    { kind: 'cron', expr: '0 9 * * 1-5', display: 'every weekday at 9' },
    '2026-03-30T09:00:00+02:00',
  ],
  ['daily at 9:30 pm', { kind: 'cron', expr: '30 21 * * *', display: 'daily at 9:30 pm' }, '2026-03-28T21:30:00+01:00'],
  [
    'mon, wed and fri at 8am',
    { kind: 'cron', expr: '0 8 * * 1,3,5', display: 'mon, wed and fri at 8am' },
    '2026-03-30T08:00:00+02:00',
  ],
  [
    'every month on the last day at noon',
    { kind: 'cron', expr: '0 12 L * *', display: 'every month on the last day at noon' },
    '2026-03-31T12:00:00+02:00',
  ],
  ['hourly', { kind: 'cron', expr: '0 * * * *', display: 'hourly' }, '2026-03-28T22:00:00+01:00'],
  ['30m', { kind: 'once', run_at: '2026-03-28T21:30:00+01:00', display: 'once in 30m' }, '2026-03-28T21:30:00+01:00'],
  [
    'in 1h 30m',
    { kind: 'once', run_at: '2026-03-28T22:30:00+01:00', display: 'once in 1h 30m' },
    '2026-03-28T22:30:00+01:00',
  ],
  [
    '2026-12-24T18:00',
    { kind: 'once', run_at: '2026-12-24T18:00:00+01:00', display: 'once at 2026-12-24 18:00' },
    '2026-12-24T18:00:00+01:00',
  ],
  [
    '2026-12-24T18:00:00Z',
    { kind: 'once', run_at: '2026-12-24T19:00:00+01:00', display: 'once at 2026-12-24 19:00' },
    '2026-12-24T19:00:00+01:00',
  ],
  [
    'tomorrow at 2:30',
    { kind: 'once', run_at: '2026-03-29T03:00:00+02:00', display: 'once at 2026-03-29 03:00' },
    '2026-03-29T03:00:00+02:00',
  ],
]

for (const [text, schedule, next] of read) {
  test(`“${text}” is read, and comes next at ${next}`, () => {
    const found = parseSchedule(text, now, berlin)
    assert.deepEqual(found, schedule)
    checkSchedule(found, now, berlin)
    const at = timetableOf(found, berlin).next(now, now)
    assert.equal(at && berlin.iso(at), next)
  })
}

const refused = [
  '',
  'foo',
  'every 10s',
  'day at 9',
  'every blue moon',
  '0 9 * *',
  '60 * * * *',
  '0 24 * * *',
  '* * * * FOO',
  '0 0 30 2 *',
  '0 0 9 * * *',
  '2026-02-30',
  '2026-03-28T25:00',
  '2020-01-01T00:00',
  'every 0m',
  '-5m',
  'every day at 25',
  'every 99999999 days',
  `every ${'x'.repeat(10_000)}`,
]

for (const text of refused) {
  test(`“${text.slice(0, 30)}” is refused with what is accepted`, () => {
    const check = () => checkSchedule(parseSchedule(text, now, berlin), now, berlin)
    assert.throws(check, (error) => error instanceof CronError && error.code === 'bad-schedule')
  })
}

test('moments are read with and without offsets, and only where they are real', () => {
  const moments: readonly (readonly [string, string | undefined])[] = [
    ['2026-07-01T09:00', '2026-07-01T07:00:00.000Z'],
    ['2026-07-01 09:00:30.250', '2026-07-01T07:00:30.250Z'],
    ['2026-07-01T09:00:00.123456+05:30', '2026-07-01T03:30:00.123Z'],
    ['2026-07-01T09:00:00-0400', '2026-07-01T13:00:00.000Z'],
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-13-01', undefined],
    ['2026-02-29', undefined],
    ['yesterday', undefined],
  ]
  for (const [text, expected] of moments) {
    const at = parseMoment(text, berlin)
    assert.equal(at === undefined ? undefined : new Date(at).toISOString(), expected, text)
  }
})

test('what is written as ISO is read back as the same moment, in any zone', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'].map(
    zoneNamed,
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.constantFrom(...zones), (at, zone) => {
      assert.equal(parseMoment(zone.iso(at), zone), at)
    }),
    { seed: 7 },
  )
})

const field = (least: number, most: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: least, max: most }).map(String),
    fc
      .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 1, max: Math.min(most, 20) }).map((step) => `*/${step}`),
  )

test('the next time is after the given one, its wall matches, and no time is left out on the way', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Casablanca',
  ].map(zoneNamed)
  fc.assert(
    fc.property(
      field(0, 59),
      field(0, 23),
      field(0, 6),
      fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
      fc.constantFrom(...zones),
      (minutes, hours, days, second, zone) => {
        const expr = `${minutes} ${hours} * * ${days}`
        const timetable = timetableOf({ kind: 'cron', expr }, zone)
        const after = second * 1000
        const next = timetable.next(after, after)
        assert.ok(next !== undefined && next > after)
        const between = after + Math.floor((next - after) / 2)
        assert.equal(timetable.next(between, after), between < next ? next : undefined)
      },
    ),
    { seed: 11, numRuns: 200 },
  )
})

/** Zones whose clocks change by an hour or half of one, in both halves of the earth. */
const zoneNames = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Pacific/Auckland']

interface Fields {
  readonly minute: number
  readonly hour: number
  readonly weekday: number
}

/** Expressions beside what they say of a wall time. */
const expressions: readonly (readonly [expr: string, holdsHour: boolean, matches: (wall: Fields) => boolean])[] = [
  ['30 2 * * *', true, ({ minute: m, hour }) => m === 30 && hour === 2],
  ['0 9 * * 1-5', true, ({ minute: m, hour, weekday }) => m === 0 && hour === 9 && weekday > 0 && weekday < 6],
  ['*/20 1-3 * * *', true, ({ minute: m, hour }) => m % 20 === 0 && hour >= 1 && hour <= 3],
  ['0 */2 * * *', true, ({ minute: m, hour }) => m === 0 && hour % 2 === 0],
  ['15,45 0,2,23 * * *', true, ({ minute: m, hour }) => m % 30 === 15 && [0, 2, 23].includes(hour)],
  ['*/15 * * * *', false, ({ minute: m }) => m % 15 === 0],
  ['7 * * * *', false, ({ minute: m }) => m === 7],
]

/** The day of each change of a zone's offset in a year, found by looking. */
function changesIn(year: number, name: string): readonly number[] {
  const { wallAt } = zoneNamed(name)
  const day = 24 * 60 * minute
  const days = Array.from({ length: 366 }, (_, i) => Date.UTC(year, 0, 1) + i * day)
  const offsets = days.map((at) => wallAt(at) - at)
  return days.filter((_, i) => i < 365 && offsets[i] !== offsets[i + 1])
}

/** What a clock on the wall shows, minute by minute. */
function walls(from: number, to: number, name: string): readonly (readonly [at: number, wall: number])[] {
  const { wallAt } = zoneNamed(name)
  return Array.from({ length: (to - from) / minute + 1 }, (_, i) => [from + i * minute, wallAt(from + i * minute)])
}

/**
 * What fires in a span, by walking over it minute by minute. Where hours are held, a wall time fires when the wall first
 * shows it or goes past it.
 */
function walk(
  shown: ReturnType<typeof walls>,
  [, holdsHour, matches]: (typeof expressions)[number],
): readonly number[] {
  const isMatch = (wall: number) => {
    const date = new Date(wall)
    return matches({ minute: date.getUTCMinutes(), hour: date.getUTCHours(), weekday: date.getUTCDay() })
  }
  const fires: number[] = []
  let highest = shown[0]![1]
  for (const [at, wall] of shown.slice(1)) {
    let isCome = !holdsHour && isMatch(wall)
    if (holdsHour) for (let one = highest + minute; one <= wall; one += minute) isCome ||= isMatch(one)
    highest = Math.max(highest, wall)
    if (isCome) fires.push(at)
  }
  return fires
}

for (const name of zoneNames) {
  test(`in ${name} every fire of the weeks of both clock changes is at its instant, once`, () => {
    const zone = zoneNamed(name)
    const changes = changesIn(2026, name)
    assert.equal(changes.length, 2)
    for (const change of changes) {
      const [from, to] = [change - 3 * 24 * 60 * minute, change + 4 * 24 * 60 * minute]
      const shown = walls(from, to, name)
      for (const expression of expressions) {
        const timetable = timetableOf({ kind: 'cron', expr: expression[0] }, zone)
        const fires: number[] = []
        for (let at = timetable.next(from, from)!; at <= to; at = timetable.next(at, from)!) fires.push(at)
        assert.deepEqual(fires.map(zone.iso), walk(shown, expression).map(zone.iso), expression[0])
      }
    }
  })
}

test('over a year a daily job fires 365 times, once a day, at its hour but for the day that skips it', () => {
  for (const name of zoneNames) {
    const zone = zoneNamed(name)
    const timetable = timetableOf({ kind: 'cron', expr: '30 2 * * *' }, zone)
    const from = zone.instantOf(Date.UTC(2026, 0, 1))
    const fires: string[] = []
    for (
      let at = timetable.next(from, from)!;
      at < zone.instantOf(Date.UTC(2027, 0, 1));
      at = timetable.next(at, from)!
    ) {
      fires.push(zone.iso(at))
    }
    assert.equal(new Set(fires.map((iso) => iso.slice(0, 10))).size, 365, name)
    assert.equal(fires.length, 365, name)
    assert.ok(fires.filter((iso) => iso.slice(11, 16) !== '02:30').length <= 1, name)
  }
})

test('an interval keeps to the time that passes, over a change of the clocks', () => {
  const timetable = timetableOf({ kind: 'interval', minutes: 360 }, berlin)
  const anchor = Date.parse('2026-03-28T19:00:00Z')
  assert.equal(berlin.iso(timetable.next(anchor, anchor)!), '2026-03-29T03:00:00+02:00')
  assert.equal(timetable.next(anchor + 13 * 60 * minute, anchor), anchor + 18 * 60 * minute)
})

test('six fields in a file have the second last, as upstream reads them', () => {
  const next = timetableOf({ kind: 'cron', expr: '0 9 * * * 30' }, berlin).next(now, now)
  assert.equal(next && berlin.iso(next), '2026-03-29T09:00:30+02:00')
})
