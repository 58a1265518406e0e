import { CronError } from './cron-error.ts'
import type { CronJob } from './job.ts'
import { changeJobs } from './jobs-file.ts'
import type { JobsPlace } from './jobs-file.ts'
import { nextFromNow, nextRun } from './job-store.ts'
import { planDue } from './missed-times.ts'
import type { CronRun, RunState, RunStore } from './run-store.ts'
import { timetableOf } from './schedule.ts'
import { parseMoment } from './zone.ts'

/** Times of one job that this process has taken and now runs, one after the other. */
export interface Claim {
  readonly job: CronJob
  /** Ms since the epoch, the earliest first. */
  readonly times: readonly number[]
}

/** A time of a job whose process was killed while it ran: nobody has been told of it. */
export interface InterruptedTime {
  readonly job: CronJob
  /** Ms since the epoch. */
  readonly scheduledAt: number
  readonly error: string
}

export interface DueJobs {
  readonly claims: readonly Claim[]
  readonly interrupted: readonly InterruptedTime[]
  /** When the next job is due, as things stand. */
  readonly wakeAt: number | undefined
}

interface Store {
  readonly place: JobsPlace
  readonly runs: RunStore
}

/**
 * Takes the jobs that are due, at most `limit`, and moves them on to their next time before any of them runs: a time is
 * run by one process or by none. Closes the runs of processes that have died. Throws `CronError` and `DatabaseError`.
 */
export async function claimDue({ place, runs }: Store, limit: number): Promise<DueJobs> {
  return changeJobs(place, async (jobs) => {
    const interrupted = await runs.closeInterrupted(place.now())
    const busy = await runs.busyJobs()
    const claims: Claim[] = []
    const changed: CronJob[] = []
    for (const job of jobs) {
      const told = interrupted
        .filter(({ jobId }) => jobId === job.id)
        .reduce((one, run) => afterRun(one, run, place), job)
      if (busy.has(job.id) || !told.enabled || told.state === 'paused') {
        changed.push(told)
        continue
      }
      const step = await moveOn(told, { place, runs, mayClaim: claims.length < limit })
      changed.push(step.job)
      if (step.times.length > 0) claims.push({ job: step.job, times: step.times })
    }
    const isChanged = changed.some((job, at) => job !== jobs[at])
    const result = { claims, interrupted: timesOf(interrupted, jobs), wakeAt: earliest(changed, busy, place) }
    return { jobs: isChanged ? changed : undefined, result }
  })
}

/** Those of jobs that are still there. */
function timesOf(runs: readonly CronRun[], jobs: readonly CronJob[]): readonly InterruptedTime[] {
  return runs.flatMap(({ jobId, scheduledAt, error = '' }) => {
    const job = jobs.find(({ id }) => id === jobId)
    return job ? [{ job, scheduledAt, error }] : []
  })
}

interface Step {
  readonly job: CronJob
  readonly times: readonly number[]
}

async function moveOn(job: CronJob, store: Store & { readonly mayClaim: boolean }): Promise<Step> {
  try {
    const ready = await withNextTime(job, store)
    const due = ready.next_run_at === null ? undefined : parseMoment(ready.next_run_at, store.place.zone)
    if (due === undefined || due > store.place.now() || !store.mayClaim) return { job: ready, times: [] }
    return await claimTimes(ready, due, store)
  } catch (error) {
    if (!(error instanceof CronError)) throw error
    const isTold = job.last_error === error.message && job.next_run_at === null
    return {
      job: isTold ? job : { ...job, next_run_at: null, last_status: 'error', last_error: error.message },
      times: [],
    }
  }
}

/** Finds the next time where it is lost, or was reckoned in another zone. */
async function withNextTime(job: CronJob, { place, runs }: Store): Promise<CronJob> {
  const { zone, now } = place
  const at = job.next_run_at === null ? undefined : parseMoment(job.next_run_at, zone)
  if (at === undefined) {
    const next = nextFromNow(job.schedule, place)
    if (job.schedule.kind !== 'once') return { ...job, ...nextRun(next, place) }
    const earlier = next === undefined ? undefined : await runs.get({ jobId: job.id, scheduledAt: next })
    return next === undefined || earlier || job.last_run_at !== null
      ? completed(job)
      : { ...job, ...nextRun(next, place) }
  }
  const hasOtherZone = job.schedule.kind === 'cron' && job.timezone && job.timezone !== zone.name && at > now()
  return hasOtherZone ? { ...job, ...nextRun(nextFromNow(job.schedule, place), place) } : job
}

async function claimTimes(job: CronJob, due: number, { place, runs }: Store): Promise<Step> {
  const now = place.now()
  const timetable = timetableOf(job.schedule, place.zone)
  const { run, missed } = planDue(job, due, now, timetable)
  const row = (scheduledAt: number) => ({
    jobId: job.id,
    scheduledAt,
    jobName: job.name,
    zone: place.zone.name,
  })
  for (const { at, reason } of missed) await runs.skip(row(at), now, reason)
  const times: number[] = []
  for (const at of run) if (await runs.claim(row(at), now)) times.push(at)
  const { run_requested_at: _asked, ...rest } = job
  const next = timetable.next(now, due)
  // What a killed process has taken is not run again: a single time is over then.
  const isOver = next === undefined && times.length === 0
  const moved: CronJob = { ...rest, ...nextRun(next, place) }
  return { job: isOver ? completed(moved) : moved, times }
}

function earliest(jobs: readonly CronJob[], busy: ReadonlySet<string>, { zone }: JobsPlace): number | undefined {
  const times = jobs
    .filter((job) => job.enabled && !busy.has(job.id) && job.next_run_at !== null)
    .map((job) => parseMoment(job.next_run_at!, zone))
    .filter((at) => at !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** How a run ended, as its job tells it. */
export interface RunEnd extends Pick<CronRun, 'error' | 'deliveryError'> {
  readonly state: Extract<RunState, 'ok' | 'error' | 'interrupted'>
}

/** Writes the end of a run into its job, and removes the job after the last of its repetitions. */
export async function recordEnd(jobId: string, end: RunEnd, place: JobsPlace): Promise<void> {
  await changeJobs(place, (jobs) => {
    if (!jobs.some(({ id }) => id === jobId)) return { jobs: undefined, result: undefined }
    const changed = jobs.map((job) => (job.id === jobId ? afterRun(job, end, place) : job))
    const left = changed.filter((job) => job.id !== jobId || !isUsedUp(job) || end.state === 'interrupted')
    return { jobs: left, result: undefined }
  })
}

function isUsedUp({ repeat }: CronJob): boolean {
  return repeat.times !== null && repeat.completed >= repeat.times
}

function afterRun(job: CronJob, end: Pick<CronRun, 'state' | 'error' | 'deliveryError'>, place: JobsPlace): CronJob {
  const told: CronJob = {
    ...job,
    last_run_at: place.zone.iso(place.now()),
    last_status: end.state === 'ok' ? 'ok' : 'error',
    last_error: end.error ?? null,
    last_delivery_error: end.deliveryError ?? null,
    repeat: { ...job.repeat, completed: job.repeat.completed + 1 },
  }
  if (isUsedUp(told)) return completed(told)
  return told.next_run_at === null && told.schedule.kind === 'once' ? completed(told) : told
}

function completed(job: CronJob): CronJob {
  return { ...job, enabled: false, state: 'completed', next_run_at: null }
}
