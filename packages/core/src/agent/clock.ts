/** Time, as the profile sees it. Tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** IANA name, e.g. `Europe/Berlin`. */
  readonly timeZone: string
}

/** The machine's clock. `timeZone` falls back to the machine's zone when empty or unknown to this Node. */
export function systemClock(timeZone = ''): Clock {
  return { now: () => Date.now(), timeZone: isTimeZone(timeZone) ? timeZone : machineTimeZone() }
}

/** Whether `name` is an IANA time zone that this Node knows. */
export function isTimeZone(name: string): boolean {
  if (name === '') return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

function machineTimeZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone
}
