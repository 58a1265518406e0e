import { CronError } from './cron-error.ts'
import { parseCron } from './cron-expression.ts'
import { durationMinutes } from './duration-text.ts'
import { naturalCron, naturalMoment } from './natural-schedule.ts'
import type { Schedule } from './schedule.ts'
import { parseMoment } from './zone.ts'
import type { Zone } from './zone.ts'

const minute = 60_000

/** Longest that a schedule is read. */
const maxLength = 200

/**
 * Reads a schedule as people write it, at moment `now`: `every 2h`, `every weekday at 9`, `30m` (once), `tomorrow at 8`,
 * `2026-12-24T18:00`, `0 9 * * 1-5`. Throws `CronError` with code `bad-schedule` naming what is accepted.
 */
export function parseSchedule(text: string, now: number, zone: Zone): Schedule {
  const given = text.trim().replaceAll(/\s+/g, ' ')
  if (given.length > maxLength) throw unknown(`${given.slice(0, 40)}…`)
  const lower = given.toLowerCase()
  const schedule = interval(lower) ?? cron(given) ?? moment(given, zone) ?? delay(lower, now, zone)
  return schedule ?? natural(given, now, zone) ?? fail(given)
}

function interval(lower: string): Schedule | undefined {
  const [, span = ''] = /^(?:every|each) (.+)$/.exec(lower) ?? []
  const minutes = durationMinutes(span) ?? (/^(?:minute|min)$/.test(span) ? 1 : undefined)
  return minutes === undefined ? undefined : { kind: 'interval', minutes, display: `every ${minutes}m` }
}

function cron(given: string): Schedule | undefined {
  const isExpression = /^@[a-z]+$/i.test(given) || looksLikeFields(given.split(' '))
  return isExpression ? { kind: 'cron', expr: given, display: given } : undefined
}

/** Five or more words of which the first four could be fields of a cron expression. */
function looksLikeFields(words: readonly string[]): boolean {
  if (words.length < 5) return false
  const isField = (word: string) => /^(?:[\d*?,/#LW+-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+$/i.test(word)
  return words.slice(0, 4).every(isField) && words.slice(0, 2).every((word) => /^[\d*,/-]+$/.test(word))
}

function moment(given: string, zone: Zone): Schedule | undefined {
  const at = parseMoment(given, zone)
  return at === undefined ? undefined : once(at, zone)
}

function delay(lower: string, now: number, zone: Zone): Schedule | undefined {
  const span = lower.replace(/^in /, '')
  const minutes = durationMinutes(span)
  if (minutes === undefined) return undefined
  return { kind: 'once', run_at: zone.iso(now + minutes * minute), display: `once in ${span}` }
}

function natural(given: string, now: number, zone: Zone): Schedule | undefined {
  const lower = given.toLowerCase()
  const expr = naturalCron(lower)
  if (expr !== undefined) return { kind: 'cron', expr, display: given }
  const at = naturalMoment(lower, now, zone)
  return at === undefined ? undefined : once(at, zone)
}

function once(at: number, zone: Zone): Schedule {
  const iso = zone.iso(at)
  return { kind: 'once', run_at: iso, display: `once at ${iso.slice(0, 16).replace('T', ' ')}` }
}

function fail(given: string): never {
  throw unknown(given)
}

function unknown(given: string): CronError {
  return new CronError(
    'bad-schedule',
    `"${given}" is no schedule. Write "every 30m", "every weekday at 9", "0 9 * * 1-5" (minute hour day month weekday), "2h" (once, from now), "tomorrow at 8" or "2026-12-24T18:00".`,
  )
}

/**
 * Refuses what would never run: a moment that is over, an expression without a time, one of more than five fields, since
 * people put the seconds at either end. Throws `CronError` with code `bad-schedule`.
 */
export function checkSchedule(schedule: Schedule, now: number, zone: Zone): void {
  if (schedule.kind === 'once') {
    const at = parseMoment(schedule.run_at, zone)
    // Upstream's grace: what is just over still runs.
    if (at === undefined || at < now - 2 * minute) {
      throw new CronError('bad-schedule', `${schedule.run_at} is over; name a time to come.`)
    }
  }
  if (schedule.kind !== 'cron') return
  if (schedule.expr.split(/\s+/).length > 5) {
    throw new CronError('bad-schedule', `"${schedule.expr}" has more than five fields; leave the seconds out.`)
  }
  if (parseCron(schedule.expr, zone).next(now) === undefined) {
    throw new CronError('bad-schedule', `"${schedule.expr}" never comes, as 30 February does not.`)
  }
}
