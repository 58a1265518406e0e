import type { Zone } from './zone.ts'

// The words of people's schedules, in lower case with single spaces.

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const dayName = '(?:sun|mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur)(?:day)?s?'
const clockTime = '(?:\\d{1,2}(?:[:.]\\d{2})?(?: ?[ap]\\.?m\\.?)?|noon|midnight)'

const daily = new RegExp(
  `^(?:(?:every|each) )?(?:(daily|nightly|day|morning|afternoon|evening|night)|(weekdays?|workdays?|working days?)|(weekends?)|(${dayName}(?:(?:, ?(?:and )?| and | & )${dayName})*)|(weekly|week))(?: (?:on )?(${dayName}))?(?: (?:at )?(${clockTime}(?:(?:, ?(?:and )?| and )${clockTime})*))?$`,
)

const monthly =
  /^(?:monthly|(?:every|each) month)(?: on (?:the )?(?:day )?(?:(\d{1,2})(?:st|nd|rd|th)?|(last day|first|last))(?: day)?)?(?: (?:at )?(.+))?$/

/** Hours of parts of the day, where no time is given. */
const usualHours: Readonly<Record<string, number>> = { nightly: 20, night: 20, evening: 20, afternoon: 15 }

/** The cron expression of `every weekday at 9`, `mondays and fridays at 8:30 pm`, `hourly`, `monthly on the 1st at 9`. */
export function naturalCron(text: string): string | undefined {
  if (/^(?:hourly|(?:every|each) hour)$/.test(text)) return '0 * * * *'
  return dailyCron(text) ?? monthlyCron(text)
}

function dailyCron(text: string): string | undefined {
  const [whole, part, work, weekend, names, weekly, on, times] = daily.exec(text) ?? []
  // `day at 9` alone is no schedule, `daily at 9` is.
  if (whole === undefined || (/^(?:day|week|night|morning|afternoon|evening)\b/.test(text) && part !== 'nightly')) {
    return undefined
  }
  if (on !== undefined && weekly === undefined) return undefined
  const days = daysOf({ work, weekend, names, weekly, on })
  const clock = times === undefined ? { minutes: '0', hours: String(usualHours[part ?? ''] ?? 9) } : readTimes(times)
  return clock && `${clock.minutes} ${clock.hours} * * ${days}`
}

function daysOf(given: Readonly<Record<'work' | 'weekend' | 'names' | 'weekly' | 'on', string | undefined>>): string {
  if (given.work !== undefined) return '1-5'
  if (given.weekend !== undefined) return '0,6'
  const names = given.names ?? (given.weekly === undefined ? undefined : (given.on ?? 'monday'))
  if (names === undefined) return '*'
  const numbers = names.split(/(?:, ?(?:and )?| and | & )/).map((name) => weekdays.indexOf(name.slice(0, 3)))
  return [...new Set(numbers)].sort((a, b) => a - b).join(',')
}

function monthlyCron(text: string): string | undefined {
  const [whole, date = '1', word, times = '9'] = monthly.exec(text) ?? []
  const clock = whole === undefined ? undefined : readTimes(times)
  if (!clock || Number(date) < 1 || Number(date) > 31) return undefined
  const day = word === undefined ? String(Number(date)) : word.startsWith('last') ? 'L' : '1'
  return `${clock.minutes} ${clock.hours} ${day} * *`
}

/** One time, or several with the same minute: `9`, `9am and 5pm`. */
function readTimes(text: string): { readonly minutes: string; readonly hours: string } | undefined {
  const times = text.split(/, ?(?:and )?| and /).map(readTime)
  const [first] = times
  if (!first || !times.every((time) => time?.minute === first.minute)) return undefined
  const hours = [...new Set(times.map((time) => time?.hour ?? 0))].sort((a, b) => a - b)
  return { minutes: String(first.minute), hours: hours.join(',') }
}

function readTime(text: string): { readonly hour: number; readonly minute: number } | undefined {
  if (text === 'noon') return { hour: 12, minute: 0 }
  if (text === 'midnight') return { hour: 0, minute: 0 }
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d{2}))?(?: ?([ap])\.?m\.?)?$/.exec(text) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (hours === undefined || minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12)))
    return undefined
  return { hour: half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0), minute }
}

/** The moment of `tomorrow at 9`, `today at 17:00`, `tonight`, `at 9`, the next such one. */
export function naturalMoment(text: string, now: number, zone: Zone): number | undefined {
  const [whole, day, times] = new RegExp(`^(?:(today|tomorrow|tonight) ?)?(?:at )?(${clockTime})?$`).exec(text) ?? []
  if (whole === undefined || (day === undefined && !text.startsWith('at '))) return undefined
  const time = times === undefined ? usualTime(day) : readTime(times)
  if (!time) return undefined
  const today = Math.floor(zone.wallAt(now) / dayMs) * dayMs
  const at = (days: number) => zone.instantOf(today + days * dayMs + (time.hour * 60 + time.minute) * minuteMs)
  if (day !== undefined) return at(day === 'tomorrow' ? 1 : 0)
  return at(0) > now ? at(0) : at(1)
}

function usualTime(day: string | undefined) {
  return day === 'today' ? undefined : { hour: day === 'tonight' ? 20 : 9, minute: 0 }
}
