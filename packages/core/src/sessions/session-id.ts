import { randomBytes } from 'node:crypto'
import { wallTime } from '../agent/clock.ts'
import type { Clock } from '../agent/clock.ts'

/** A new session id, `YYYYMMDD_HHMMSS_<6 hex>`, in the profile's time zone. */
export function newSessionId(clock: Clock): string {
  const { year, month, day, hour, minute, second } = wallTime(clock)
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}${two(month)}${two(day)}`
  return `${date}_${two(hour)}${two(minute)}${two(second)}_${randomBytes(3).toString('hex')}`
}
