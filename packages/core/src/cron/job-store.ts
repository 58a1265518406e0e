import { randomBytes } from 'node:crypto'
import type { AgentContext } from '../agent/context.ts'
import { nearest } from '../text/nearest.ts'
import { CronError } from './cron-error.ts'
import { jobSchema } from './job.ts'
import type { CronJob, MissedPolicy } from './job.ts'
import { changeJobs, readJobs } from './jobs-file.ts'
import type { BrokenJob, Jobs, JobsPlace } from './jobs-file.ts'
import { checkSchedule, parseSchedule } from './parse-schedule.ts'
import { scheduleText, timetableOf } from './schedule.ts'
import type { Schedule } from './schedule.ts'
import { checkScript } from './script-path.ts'
import { openZone, parseMoment } from './zone.ts'

/** What is said of a job when it is made or changed; what is absent stays as it is. */
export interface JobInput {
  readonly schedule?: string
  readonly prompt?: string
  readonly name?: string
  /** Times that it runs; 0 or less: for ever. */
  readonly repeat?: number
  readonly deliver?: string
  readonly skills?: readonly string[]
  /** Empty texts take what was set away. */
  readonly model?: string
  readonly provider?: string
  readonly script?: string
  readonly origin?: CronJob['origin']
  /** Null: upstream's grace window again. */
  readonly missed?: MissedPolicy | null
}

/** The profile's jobs, as people and tools make and change them. */
export interface JobStore {
  readonly place: JobsPlace
  list(): Promise<Jobs>
  create(input: JobInput): Promise<CronJob>
  edit(id: string, input: JobInput): Promise<CronJob>
  pause(id: string, reason?: string): Promise<CronJob>
  /** From the next time after now. */
  resume(id: string): Promise<CronJob>
  /** Has it run now, or as soon as a scheduler is there. */
  trigger(id: string): Promise<CronJob>
  remove(id: string): Promise<CronJob>
  /** Takes an entry that is no job away; see `removeUnreadable`. */
  removeUnreadable(reference: string): Promise<BrokenJob | undefined>
}

/** Jobs that one profile may have. */
const maxJobs = 1_000

const graceMs = 120_000

/** Jobs are named by their id, its beginning, or their name. All methods throw `CronError`. */
export function openJobs({ home, clock }: Pick<AgentContext, 'home' | 'clock'>): JobStore {
  const zone = openZone(clock)
  const place: JobsPlace = { home, zone, now: () => clock.now() }

  const change = (id: string, update: (job: CronJob) => CronJob): Promise<CronJob> =>
    changeJobs(place, (jobs) => {
      const found = findJob(jobs, id)
      const changed = update(found)
      return { jobs: jobs.map((job) => (job === found ? changed : job)), result: changed }
    })

  return {
    place,
    list: () => readJobs(place),
    async create(input) {
      const { schedule: text = '', prompt = '', skills = [] } = input
      if (text.trim() === '') throw new CronError('bad-job', 'A job needs a schedule, e.g. "every 2h".')
      if (prompt.trim() === '' && cleaned(skills).length === 0) {
        throw new CronError('bad-job', 'A job needs a prompt or a skill.')
      }
      await checkInput(input, place)
      const schedule = checkedSchedule(text, place)
      const bare = jobSchema().parse({
        id: randomBytes(6).toString('hex'),
        schedule,
        created_at: zone.iso(clock.now()),
      })
      const job = withName(scheduled(changed({ ...bare, origin: input.origin ?? null }, input), schedule, place))
      return changeJobs(place, (jobs) => {
        if (jobs.length >= maxJobs) throw new CronError('bad-job', `There are ${maxJobs} jobs already; remove some.`)
        return { jobs: [...jobs, job], result: job }
      })
    },
    async edit(id, input) {
      await checkInput(input, place)
      const schedule = input.schedule === undefined ? undefined : checkedSchedule(input.schedule, place)
      return change(id, (job) => {
        const edited = changed(job, input)
        // Its name goes with its prompt where nobody has given it one.
        const next =
          input.name === undefined && job.name === ownName(job) ? { ...edited, name: ownName(edited) } : edited
        if (next.prompt.trim() === '' && next.skills.length === 0) {
          throw new CronError('bad-job', 'Without a prompt and skills the job has nothing to do; remove it instead.')
        }
        return schedule ? scheduled(next, schedule, place) : next
      })
    },
    pause: (id, reason) =>
      change(id, (job) => ({
        ...job,
        enabled: false,
        state: 'paused',
        paused_at: zone.iso(clock.now()),
        paused_reason: reason?.trim() || null,
      })),
    resume: (id) =>
      change(id, (job) => {
        const next = nextFromNow(job.schedule, place)
        if (next === undefined) throw new CronError('bad-schedule', `${job.id} has no time to come; give it another.`)
        return { ...running(job), ...nextRun(next, place) }
      }),
    trigger: (id) =>
      change(id, (job) => {
        const now = zone.iso(clock.now())
        return { ...running(job), next_run_at: now, run_requested_at: now, timezone: zone.name }
      }),
    remove: (id) =>
      changeJobs(place, (jobs) => {
        const found = findJob(jobs, id)
        return { jobs: jobs.filter((job) => job !== found), result: found }
      }),
    async removeUnreadable(reference) {
      const { removeUnreadable } = await import('./remove-unreadable.ts')
      return removeUnreadable(place, reference)
    },
  }
}

/** Throws `CronError` with code `no-such-job`. */
export function findJob(jobs: readonly CronJob[], reference: string): CronJob {
  const wanted = reference.trim()
  const exact = jobs.find(({ id }) => id === wanted)
  const byName = jobs.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const begun = wanted.length >= 3 ? jobs.filter(({ id }) => id.startsWith(wanted)) : []
  const found = exact ?? [byName, begun].find((some) => some.length === 1)?.[0]
  if (found) return found
  const meant = nearest(
    wanted,
    jobs.flatMap(({ id, name }) => [id, name]),
  )
  const hint = meant ? `Did you mean "${meant}"?` : 'hermes cron list --all shows them.'
  const many = byName.length > 1 || begun.length > 1 ? 'means several jobs' : 'is no job'
  throw new CronError('no-such-job', `"${wanted}" ${many}. ${hint}`)
}

async function checkInput({ prompt, script, name }: JobInput, { home }: JobsPlace): Promise<void> {
  if (prompt !== undefined) {
    const { checkPrompt } = await import('./check-prompt.ts')
    checkPrompt(prompt)
  }
  if (script) await checkScript(script, home)
  if (name !== undefined && name.length > 200) throw new CronError('bad-job', 'A name has at most 200 characters.')
}

function checkedSchedule(text: string, { zone, now }: JobsPlace): Schedule {
  const schedule = parseSchedule(text, now(), zone)
  checkSchedule(schedule, now(), zone)
  return schedule
}

/** What is asked for, beside the schedule. */
function changed(job: CronJob, input: JobInput): CronJob {
  const { prompt, name, repeat, deliver, skills, model, provider, script, missed } = input
  return {
    ...job,
    ...(prompt !== undefined && { prompt: prompt.trim() }),
    ...(name !== undefined && { name: name.trim() }),
    ...(repeat !== undefined && { repeat: { ...job.repeat, times: repeat > 0 ? Math.floor(repeat) : null } }),
    ...(deliver !== undefined && { deliver: deliver.trim() || null }),
    ...(skills !== undefined && { skills: cleaned(skills) }),
    ...(model !== undefined && { model: model.trim() || null }),
    ...(provider !== undefined && { provider: provider.trim() || null }),
    ...(script !== undefined && { script: script.trim() || null }),
    ...(missed !== undefined && { missed: missed ?? undefined }),
  }
}

function cleaned(skills: readonly string[]): string[] {
  return [...new Set(skills.map((skill) => skill.trim()).filter((skill) => skill !== ''))]
}

function withName(job: CronJob): CronJob {
  const deliver = job.deliver ?? (job.origin ? 'origin' : 'local')
  return { ...job, deliver, name: job.name.replaceAll(/\s+/g, ' ') || ownName(job) }
}

/** What a job is called that nobody has named. */
function ownName({ prompt, skills }: CronJob): string {
  return (prompt.slice(0, 50).trim() || skills[0] || 'cron job').replaceAll(/\s+/g, ' ')
}

function scheduled(job: CronJob, schedule: Schedule, place: JobsPlace): CronJob {
  const isOnce = schedule.kind === 'once'
  const times = isOnce && job.repeat.times === null ? 1 : job.repeat.times
  const changedJob = {
    ...job,
    schedule,
    schedule_display: scheduleText(schedule),
    repeat: { ...job.repeat, times },
    ...nextRun(nextFromNow(schedule, place), place),
  }
  return job.state === 'paused' ? changedJob : running(changedJob)
}

/** Going on; a job that had run as often as it was to begins to count again. */
function running(job: CronJob): CronJob {
  const { times, completed } = job.repeat
  const repeat = times !== null && completed >= times ? { ...job.repeat, completed: 0 } : job.repeat
  return { ...job, repeat, enabled: true, state: 'scheduled', paused_at: null, paused_reason: null }
}

/** The fields that say when a job runs next. */
export function nextRun(at: number | undefined, { zone }: JobsPlace): Pick<CronJob, 'next_run_at' | 'timezone'> {
  return { next_run_at: at === undefined ? null : zone.iso(at), timezone: zone.name }
}

/** The first time from now on; of a single time also one that is just over. */
export function nextFromNow(schedule: Schedule, { zone, now }: JobsPlace): number | undefined {
  if (schedule.kind !== 'once') return timetableOf(schedule, zone).next(now(), now())
  const at = parseMoment(schedule.run_at, zone)
  return at !== undefined && at >= now() - graceMs ? at : undefined
}
