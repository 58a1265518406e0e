import { lazily } from '../storage/lazily.ts'
import { z } from 'zod'
import { parseCron } from './cron-expression.ts'
import { CronError } from './cron-error.ts'
import { parseMoment } from './zone.ts'
import type { Zone } from './zone.ts'

const minute = 60_000

/** When a job runs, in the form of `jobs.json`. */
export const scheduleSchema = lazily(() =>
  z.discriminatedUnion('kind', [
    z.looseObject({ kind: z.literal('once'), run_at: z.string(), display: z.string().optional() }),
    z.looseObject({
      kind: z.literal('interval'),
      minutes: z.number().positive().max(5_300_000),
      display: z.string().optional(),
    }),
    z.looseObject({ kind: z.literal('cron'), expr: z.string(), display: z.string().optional() }),
  ]),
)

export type Schedule = z.infer<ReturnType<typeof scheduleSchema>>

/** Finds the times of one schedule. */
export interface Timetable {
  /** The first time after a moment; undefined when there is none any more. Intervals count on from `anchor`. */
  next(after: number, anchor: number): number | undefined
}

/** Throws `CronError` with code `bad-schedule`. */
export function timetableOf(schedule: Schedule, zone: Zone): Timetable {
  if (schedule.kind === 'cron') {
    const expression = parseCron(schedule.expr, zone)
    return { next: (after) => expression.next(after) }
  }
  if (schedule.kind === 'once') {
    const at = parseMoment(schedule.run_at, zone)
    if (at === undefined) throw new CronError('bad-schedule', `"${schedule.run_at}" is no time.`)
    return { next: (after) => (at > after ? at : undefined) }
  }
  const period = schedule.minutes * minute
  return {
    next: (after, anchor) => anchor + period * Math.max(1, Math.floor((after - anchor) / period) + 1),
  }
}

/** What the schedule is called for people. */
export function scheduleText(schedule: Schedule): string {
  if (schedule.display) return schedule.display
  if (schedule.kind === 'cron') return schedule.expr
  return schedule.kind === 'once' ? `once at ${schedule.run_at}` : `every ${schedule.minutes}m`
}
