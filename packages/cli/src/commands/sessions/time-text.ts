import { type Clock, wallTime } from '@hermes/core/agent/clock.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago a time (ms) was: `just now`, `5m ago`, `3h ago`, `yesterday`, `4d ago`, then the date. */
export function timeAgo(time: number, clock: Clock): string {
  const age = clock.now() - time
  if (age < minute) return 'just now'
  if (age < hour) return `${Math.floor(age / minute)}m ago`
  if (age < day) return `${Math.floor(age / hour)}h ago`
  if (age < 2 * day) return 'yesterday'
  if (age < 7 * day) return `${Math.floor(age / day)}d ago`
  return dateText(time, clock)
}

/** `YYYY-MM-DD` in the profile's time zone. */
export function dateText(time: number, clock: Clock): string {
  return dateTimeText(time, clock).slice(0, 10)
}

/** `YYYY-MM-DD HH:MM` in the profile's time zone. */
export function dateTimeText(time: number, clock: Clock): string {
  const { year, month, day, hour, minute } = wallTime(clock, time)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`
}

const units: Readonly<Record<string, number>> = { h: hour, d: day, w: 7 * day }

/** Milliseconds of `36h`, `30d`, `8w` or a bare number of days; undefined for anything else. */
export function parseAge(text: string): number | undefined {
  const match = /^(\d{1,6})([hdw]?)$/.exec(text.trim().toLowerCase())
  return match ? Number(match[1]) * units[match[2] || 'd']! : undefined
}
