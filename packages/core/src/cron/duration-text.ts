const units: readonly (readonly [pattern: RegExp, minutes: number])[] = [
  [/^(?:m|min|mins|minute|minutes)$/, 1],
  [/^(?:h|hr|hrs|hour|hours)$/, 60],
  [/^(?:d|day|days)$/, 24 * 60],
  [/^(?:w|week|weeks)$/, 7 * 24 * 60],
]

/** Ten years: longer is a slip of the hand. */
const most = 10 * 366 * 24 * 60

/** Minutes of `30m`, `2 hours`, `1h 30m`, `1 day`, in lower case; undefined for anything else, and for none at all. */
export function durationMinutes(text: string): number | undefined {
  if (!/^(?:\d{1,7} ?[a-z]+(?:,? (?:and )?|(?=\d)|$))+$/.test(text)) return undefined
  let sum = 0
  for (const [, count, unit = ''] of text.matchAll(/(\d{1,7}) ?([a-z]+)/g)) {
    const minutes = units.find(([pattern]) => pattern.test(unit))?.[1]
    if (minutes === undefined) return undefined
    sum += Number(count) * minutes
  }
  return sum > 0 && sum <= most ? sum : undefined
}
