import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { text } from './commits.ts'
import { git } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'

/** How many checkpoints are stored beyond those kept, before old ones are dropped: freeing space takes a while. */
export function slackOf(maxSnapshots: number): number {
  return Math.max(1, Math.ceil(maxSnapshots / 5))
}

/** How many checkpoints are stored. */
export async function countStored(shadow: ShadowGit, signal: AbortSignal): Promise<number> {
  return Number(text(await git(shadow, { args: ['rev-list', '--count', 'HEAD'] }, signal)))
}

/** What was written no longer ago than this may belong to a call of another program that is under way. */
const unfinishedSeconds = 600

/**
 * Ends the history at the oldest checkpoint that is kept and frees what only older ones hold. Ids stay as they are:
 * git is told that the history begins there, as in a shallow clone. The caller holds the lock. Stopped at any moment it
 * leaves a whole repository; the rest is freed the next time.
 */
export async function dropBeyond(
  shadow: ShadowGit,
  maxSnapshots: number,
  signal: AbortSignal,
  keepSeconds = unfinishedSeconds,
): Promise<void> {
  const last = ['rev-list', '--first-parent', `--skip=${maxSnapshots - 1}`, '--max-count=1', 'HEAD']
  const oldest = text(await git(shadow, { args: last }, signal))
  if (oldest === '') return
  await writeFileAtomic(join(shadow.dir, 'shallow'), `${oldest}\n`, { mode: 0o644 })
  await rm(join(shadow.dir, 'logs'), { recursive: true, force: true })
  await git(shadow, { args: ['repack', '-a', '-d', '-q', '--window=5', '--threads=1'], isLong: true }, signal)
  await git(shadow, { args: ['prune', `--expire=${keepSeconds}.seconds.ago`], isLong: true }, signal)
}
