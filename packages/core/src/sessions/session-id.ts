import { randomBytes } from 'node:crypto'
import type { Clock } from '../agent/clock.ts'

/** A new session id, `YYYYMMDD_HHMMSS_<6 hex>`, in the profile's time zone. */
export function newSessionId(clock: Clock): string {
  return `${timeStamp(clock)}_${randomBytes(3).toString('hex')}`
}

function timeStamp(clock: Clock): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: clock.timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const parts = Object.fromEntries(format.formatToParts(clock.now()).map(({ type, value }) => [type, value]))
  return `${parts['year']}${parts['month']}${parts['day']}_${parts['hour']}${parts['minute']}${parts['second']}`
}
