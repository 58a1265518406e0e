import type { CronJob } from './job.ts'
import type { Timetable } from './schedule.ts'

const minute = 60_000

/** A scheduler that wakes this late is on time. */
const punctualMs = 60_000

/** Times that are looked at one by one; what comes after them is only counted as over. */
const maxTimes = 1_000

/** Most runs that make up for missed times. */
const maxCatchUp = 100

/** What becomes of the times of a job that have come. */
export interface DuePlan {
  readonly run: readonly number[]
  readonly missed: readonly { readonly at: number; readonly reason: string }[]
}

/** Which times of a job, from `due` to `now`, are run, and which are over, as its policy says. */
export function planDue(job: CronJob, due: number, now: number, timetable: Timetable): DuePlan {
  if (job['run_requested_at'] !== undefined && job['run_requested_at'] === job.next_run_at) {
    return { run: [due], missed: [] }
  }
  const times = timesBetween(due, now, timetable)
  const limit = job.repeat.times === null ? maxCatchUp : Math.max(0, job.repeat.times - job.repeat.completed)
  const run = chosen(job, times, now, timetable).slice(0, Math.min(limit, maxCatchUp))
  const reason = reasonText(job, run.length > 0)
  return { run, missed: times.filter((at) => !run.includes(at)).map((at) => ({ at, reason })) }
}

function timesBetween(due: number, now: number, timetable: Timetable): readonly number[] {
  const times = [due]
  while (times.length < maxTimes) {
    const next = timetable.next(times.at(-1)!, due)
    if (next === undefined || next > now) break
    times.push(next)
  }
  return times
}

function chosen(job: CronJob, times: readonly number[], now: number, timetable: Timetable): readonly number[] {
  const { missed } = job
  const late = now - times[0]!
  if (!missed) return isWithinGrace(job, times[0]!, late, timetable) ? times.slice(-1) : []
  const age = missed.max_age_minutes === undefined ? undefined : missed.max_age_minutes * minute
  if (missed.run === 'skip') return times.filter((at) => now - at <= punctualMs).slice(-1)
  if (missed.run === 'once') return times.filter((at) => age === undefined || now - at <= age).slice(-1)
  return times.filter((at) => now - at <= (age ?? 24 * 60 * minute)).slice(-maxCatchUp)
}

/** Half the period, but at least two minutes and at most two hours; a single time is run however late. */
function isWithinGrace({ schedule }: CronJob, due: number, late: number, timetable: Timetable): boolean {
  if (schedule.kind === 'once') return true
  const period = (timetable.next(due, due) ?? due) - due
  return late <= Math.min(Math.max(period / 2, 2 * minute), 120 * minute)
}

function reasonText({ missed }: CronJob, isMadeUp: boolean): string {
  if (isMadeUp && missed?.run !== 'all') return 'No scheduler ran then; a later run stands for it.'
  return 'No scheduler ran then, and it was too late when one did.'
}
