/** Time, as the profile sees it. Tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** IANA name, e.g. `Europe/Berlin`. */
  readonly timeZone: string
  /** Whether that is also the zone of this process, whose calendar then costs nothing to ask. */
  readonly isMachineZone?: boolean
  /** What it shows on the wall at a moment; worked out from the zone's name where absent. */
  wallTimeAt?(at: number): WallTime
}

/** The machine's clock. `timeZone` falls back to the machine's zone when empty or unknown to this Node. */
export function systemClock(timeZone = ''): Clock {
  const now = () => Date.now()
  if (isTimeZone(timeZone)) {
    let zoned: ((at: number) => WallTime) | undefined
    return { now, timeZone, wallTimeAt: (at) => (zoned ??= zonedTime(timeZone))(at) }
  }
  return {
    now,
    isMachineZone: true,
    // Asking for its name loads the whole of ICU's calendar, some 15 ms; most runs never need it.
    get timeZone() {
      return new Intl.DateTimeFormat('en').resolvedOptions().timeZone
    },
  }
}

/** Whether `name` is an IANA time zone that this Node knows. */
export function isTimeZone(name: string): boolean {
  if (name === '') return false
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** A moment on the profile's wall. Months and days count from 1; `weekday` is 0 for Sunday. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

/** What the profile's clock on the wall shows at a moment, now by default. */
export function wallTime(clock: Clock, at: number = clock.now()): WallTime {
  return wallTimes(clock)(at)
}

/** The same for many moments: a zone that is not the machine's takes a while to set up. */
export function wallTimes(clock: Clock): (at: number) => WallTime {
  if (clock.isMachineZone) return machineTime
  return clock.wallTimeAt?.bind(clock) ?? zonedTime(clock.timeZone)
}

function machineTime(at: number): WallTime {
  const date = new Date(at)
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    weekday: date.getDay(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  }
}

function zonedTime(timeZone: string): (at: number) => WallTime {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
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
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
    return { year, month, day, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay(), hour, minute, second }
  }
}
