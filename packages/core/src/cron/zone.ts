import { wallTimes } from '../agent/clock.ts'
import type { Clock } from '../agent/clock.ts'

/**
 * A time zone: from moments to what a clock on the wall shows, and back. A wall time is written as the milliseconds
 * since the epoch at which a clock in UTC shows it.
 */
export interface Zone {
  readonly name: string
  readonly wallAt: (at: number) => number
  /**
   * The first moment at which the wall shows `wall` or later: the first of two where an hour comes twice, the end of the
   * gap where it is skipped.
   */
  readonly instantOf: (wall: number) => number
  /** ISO 8601 with the zone's offset, e.g. `2026-03-29T03:00:00+02:00`. */
  readonly iso: (at: number) => string
}

const minute = 60_000
const day = 24 * 60 * minute

export function openZone(clock: Clock): Zone {
  const shown = wallTimes(clock)
  const wallAt = (at: number): number => {
    const { year, month, day: date, hour, minute: minutes, second } = shown(at)
    return Date.UTC(year, month - 1, date, hour, minutes, second, ((at % 1000) + 1000) % 1000)
  }
  const offsetAt = (at: number): number => wallAt(at) - at

  return {
    get name() {
      return clock.timeZone
    },
    wallAt,
    instantOf(wall) {
      const around = [offsetAt(wall - day), offsetAt(wall + day)]
      const [least, most] = [Math.min(...around), Math.max(...around)]
      for (const offset of [most, least]) if (wallAt(wall - offset) === wall) return wall - offset
      return firstAtOrAfter(wall, { from: wall - most, to: wall - least, wallAt })
    },
    iso(at) {
      const offset = Math.round(offsetAt(at) / minute)
      const sign = offset < 0 ? '-' : '+'
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
      const time = new Date(at + offset * minute).toISOString().replace(/(?:\.000)?Z$/, '')
      return `${time}${sign}${two(hours)}:${two(minutes)}`
    },
  }
}

/** The end of a gap, to the second: before it the wall shows less than `wall`, after it more. */
function firstAtOrAfter(
  wall: number,
  { from, to, wallAt }: { readonly from: number; readonly to: number; readonly wallAt: Zone['wallAt'] },
): number {
  let [before, after] = [Math.floor(from / 1000) - 1, Math.ceil(to / 1000)]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallAt(middle * 1000) >= wall) after = middle
    else before = middle
  }
  return after * 1000
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

const written =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i

/** The moment that an ISO 8601 text names; one without an offset is the zone's. Undefined for anything else. */
export function parseMoment(text: string, zone: Zone): number | undefined {
  const [, year, month, date, hour = '0', minutes = '0', second = '0', fraction = '', offset] =
    written.exec(text.trim()) ?? []
  if (year === undefined) return undefined
  const fields = [Number(year), Number(month) - 1, Number(date), Number(hour), Number(minutes), Number(second)] as const
  const wall = Date.UTC(...fields) + Math.floor(Number(`0.${fraction || '0'}`) * 1000)
  const back = new Date(wall)
  // 30 February and 25 o'clock run over into what comes next.
  const isReal =
    back.getUTCMonth() === fields[1] &&
    back.getUTCDate() === fields[2] &&
    back.getUTCHours() === fields[3] &&
    back.getUTCMinutes() === fields[4]
  if (!isReal || fields[0] < 1900) return undefined
  if (offset === undefined) return zone.instantOf(wall)
  if (/^z$/i.test(offset)) return wall
  const [, sign, hours, more = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? []
  return wall - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(more)) * minute
}
