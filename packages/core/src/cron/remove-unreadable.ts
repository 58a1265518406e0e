import { readFile } from 'node:fs/promises'
import { writePrivateFile } from '../config/private-file.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { CronError } from './cron-error.ts'
import { jobsPath, parseJobs } from './jobs-file.ts'
import type { BrokenJob, Jobs, JobsPlace } from './jobs-file.ts'
import { withoutEntry } from './without-entry.ts'

/** How an entry is named that has no id, or one that others have, too. */
export function entryName({ position }: Pick<BrokenJob, 'position'>): string {
  return `entry:${position}`
}

/**
 * Takes an entry that is no job out of the file and leaves every other byte of that as it is. It is named by its place, as
 * `entry:3`, or by an id that no job has. Resolves to undefined where `reference` names none. Throws `CronError`.
 */
export async function removeUnreadable(place: JobsPlace, reference: string): Promise<BrokenJob | undefined> {
  const path = jobsPath(place.home)
  return withFileLock(path, async () => {
    const bytes = await readFile(path).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    })
    const found = findUnreadable(parseJobs(bytes.toString('utf8'), place), reference.trim())
    // A character a byte: also what is no UTF-8 stays.
    if (found)
      await writePrivateFile(path, Buffer.from(withoutEntry(bytes.toString('latin1'), found.position - 1), 'latin1'))
    return found
  })
}

function findUnreadable({ jobs, broken }: Jobs, reference: string): BrokenJob | undefined {
  const named = broken.find((entry) => entryName(entry) === reference)
  if (named) return named
  const [count, position] = [jobs.length + broken.length, /^entry:([1-9]\d*)$/.exec(reference)?.[1]]
  if (position !== undefined && Number(position) <= count) {
    throw new CronError('no-such-job', `Entry ${position} is a job that can be read: name it by its id.`)
  }
  if (jobs.some(({ id }) => id === reference)) return undefined
  const same = broken.filter(({ id }) => id !== undefined && id === reference)
  if (same.length > 1) {
    const names = same.map(entryName).join(', ')
    throw new CronError('no-such-job', `"${reference}" means several entries that cannot be read: ${names}.`)
  }
  return same[0]
}
