import { isTimeZone, systemClock } from '@hermes/core/agent/clock.ts'
import { checkSchedule, parseSchedule } from '@hermes/core/cron/parse-schedule.ts'
import { scheduleText, timetableOf } from '@hermes/core/cron/schedule.ts'
import type { Schedule } from '@hermes/core/cron/schedule.ts'
import { openZone, parseMoment } from '@hermes/core/cron/zone.ts'
import type { Zone } from '@hermes/core/cron/zone.ts'
import type { Cli, Command, CommandInput } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { text, wholeNumber } from '../../option-values.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { told } from './with-jobs.ts'

const maxTimes = 10_000

export const next: Command = {
  name: 'next',
  summary: 'When a schedule comes next',
  positionals: '<expression...>',
  options: {
    tz: { type: 'string', value: 'ZONE', description: "Time zone, e.g. Europe/Berlin; the profile's when absent" },
    from: { type: 'string', value: 'TIME', description: 'Times after this one; now when absent' },
    count: { type: 'string', short: 'n', value: 'N', description: 'How many times (default 5)' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: ['hermes cron next "every weekday at 9" -n 3', 'hermes cron next "30 2 * * *" --tz America/New_York'],
  run: (input, cli) => told(() => printTimes(input, cli)),
}

async function printTimes({ positionals, options }: CommandInput, cli: Cli): Promise<number> {
  // `0 9 * * *` that a shell left in pieces is meant all the same.
  const expression = positionals.join(' ')
  if (expression === '') throw new UsageError('Write: hermes cron next EXPRESSION, e.g. hermes cron next "0 9 * * 1-5"')
  const zone = await zoneOf(text(options['tz']), cli)
  const from = startOf(text(options['from']), zone)
  const count = Math.min(wholeNumber(options['count'], '-n', 1) ?? 5, maxTimes)
  const schedule = parseSchedule(expression, from, zone)
  checkSchedule(schedule, from, zone)
  const times = timesAfter(schedule, { from, count, zone })
  if (times.length === 0) throw new CommandError(`"${expression}" does not come after ${zone.iso(from)}.`)
  if (options['json'] === true) {
    await writeJson(cli, {
      schedule: scheduleText(schedule),
      kind: schedule.kind,
      timezone: zone.name,
      from: zone.iso(from),
      next: times.map(zone.iso),
    })
  } else await writeOut(cli, `${times.map(zone.iso).join('\n')}\n`)
  return 0
}

function timesAfter(
  schedule: Schedule,
  { from, count, zone }: { readonly from: number; readonly count: number; readonly zone: Zone },
): readonly number[] {
  const timetable = timetableOf(schedule, zone)
  const times: number[] = []
  while (times.length < count) {
    const at = timetable.next(times.at(-1) ?? from, from)
    if (at === undefined) break
    times.push(at)
  }
  return times
}

async function zoneOf(name: string | undefined, cli: Cli): Promise<Zone> {
  if (name !== undefined && !isTimeZone(name)) throw new UsageError(`--tz: there is no time zone "${name}"`)
  if (name !== undefined) return openZone(systemClock(name))
  const { openProfile } = await import('@hermes/core/config/open-profile.ts')
  return openZone(systemClock((await openProfile(cli.environment)).config.timezone))
}

function startOf(given: string | undefined, zone: Zone): number {
  if (given === undefined) return Date.now()
  const at = parseMoment(given, zone)
  if (at === undefined) throw new UsageError(`--from takes a time such as 2026-03-28T20:00; got "${given}"`)
  return at
}
