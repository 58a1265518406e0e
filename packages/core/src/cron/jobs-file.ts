import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Home } from '../config/home.ts'
import { writePrivateFile } from '../config/private-file.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { CronError } from './cron-error.ts'
import { jobSchema } from './job.ts'
import type { CronJob } from './job.ts'
import { parseSchedule } from './parse-schedule.ts'
import type { Zone } from './zone.ts'

/** An entry that is no job; it stays in the file, and does not run. */
export interface BrokenJob {
  /** Its place in the list, from 1. */
  readonly position: number
  /** Where it says one. */
  readonly id: string | undefined
  readonly problem: string
  readonly raw: unknown
}

export interface Jobs {
  readonly jobs: readonly CronJob[]
  readonly broken: readonly BrokenJob[]
}

/** What the file is read by: the zone for times without one, and the time. */
export interface JobsPlace {
  readonly home: Home
  readonly zone: Zone
  readonly now: () => number
}

export function jobsPath(home: Home): string {
  return home.path('cron', 'jobs.json')
}

/** The profile's jobs; none where the file is missing. Throws `CronError` with code `corrupt-file`. */
export async function readJobs(place: JobsPlace): Promise<Jobs> {
  return parseJobs(await readText(place.home), place)
}

/**
 * Changes the jobs under a lock that all processes heed. `change` gets them and answers with what they are to be, or with
 * undefined where they stay. What is in the file beside is kept. Throws `CronError`.
 */
export async function changeJobs<T>(
  place: JobsPlace,
  change: (jobs: readonly CronJob[]) => Change<T> | Promise<Change<T>>,
): Promise<T> {
  const path = jobsPath(place.home)
  return withFileLock(path, async () => {
    const file = parseFile(await readText(place.home), path)
    const { jobs, broken } = parseEntries(file.entries, place)
    const { jobs: changed, result } = await change(jobs)
    if (changed === undefined) return result
    const entries = [...changed.map(withLegacySkill), ...broken.map(({ raw }) => raw)]
    const content = { ...file.rest, jobs: entries, updated_at: place.zone.iso(place.now()) }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writePrivateFile(path, `${JSON.stringify(content, null, 2)}\n`)
    return result
  })
}

export interface Change<T> {
  readonly jobs: readonly CronJob[] | undefined
  readonly result: T
}

/** Older programs read the first skill alone. */
function withLegacySkill(job: CronJob): CronJob {
  return { ...job, skill: job.skills[0] ?? null }
}

/** What a file with this text holds. Throws `CronError` with code `corrupt-file`. */
export function parseJobs(text: string, place: JobsPlace): Jobs {
  return parseEntries(parseFile(text, jobsPath(place.home)).entries, place)
}

async function readText(home: Home): Promise<string> {
  try {
    return await readFile(jobsPath(home), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

interface FileContent {
  readonly entries: readonly unknown[]
  readonly rest: Readonly<Record<string, unknown>>
}

function parseFile(text: string, path: string): FileContent {
  if (text.trim() === '') return { entries: [], rest: {} }
  const value = parseTolerant(text, path)
  if (Array.isArray(value)) return { entries: value, rest: {} }
  if (isRecord(value)) {
    const { jobs = [], ...rest } = value
    if (Array.isArray(jobs)) return { entries: jobs, rest }
  }
  throw corrupt(path, 'it holds no list of jobs')
}

/** Control characters within texts, which some writers leave as they are, are taken for what they mean. */
function parseTolerant(text: string, path: string): unknown {
  const plain = text.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(plain)
  } catch {
    // The second reading says what is wrong, if that was not it.
  }
  try {
    return JSON.parse(plain.replaceAll(/"(?:[^"\\]|\\.)*"/gs, escapeControls))
  } catch (error) {
    throw corrupt(path, error instanceof Error ? error.message : String(error), error)
  }
}

function escapeControls(literal: string): string {
  // oxlint-disable-next-line no-control-regex
  return literal.replaceAll(/[\0-\x1F]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function corrupt(path: string, reason: string, cause?: unknown): CronError {
  return new CronError('corrupt-file', `${path} cannot be read (${reason}). Repair it or move it away.`, { cause })
}

function parseEntries(entries: readonly unknown[], place: JobsPlace): Jobs {
  const jobs: CronJob[] = []
  const broken: BrokenJob[] = []
  const seen = new Set<string>()
  for (const [at, raw] of entries.entries()) {
    const parsed = jobSchema().safeParse(withParsedSchedule(raw, place))
    if (parsed.success && !seen.has(parsed.data.id)) {
      seen.add(parsed.data.id)
      jobs.push(withSkillList(parsed.data))
      continue
    }
    const problem = parsed.success ? 'its id is there twice' : issueText(parsed.error.issues[0])
    const id = isRecord(raw) && typeof raw['id'] === 'string' ? raw['id'] : undefined
    broken.push({ position: at + 1, id, problem, raw })
  }
  return { jobs, broken }
}

function issueText(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): string {
  return issue ? `${issue.path.join('.') || 'job'}: ${issue.message}` : 'not a job'
}

/** Upstream's HTTP interface stores a schedule as the text that it was given. */
function withParsedSchedule(raw: unknown, { zone, now }: JobsPlace): unknown {
  if (!isRecord(raw) || typeof raw['schedule'] !== 'string') return raw
  try {
    return { ...raw, schedule: parseSchedule(raw['schedule'], now(), zone) }
  } catch (error) {
    if (error instanceof CronError) return raw
    throw error
  }
}

function withSkillList(job: CronJob): CronJob {
  return job.skills.length === 0 && job.skill ? { ...job, skills: [job.skill] } : job
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
