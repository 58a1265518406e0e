import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { text } from './commits.ts'
import { git } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'

/** How much is kept of a folder's past. */
export interface Retention {
  readonly maxSnapshots: number
  /** Of the whole repository: beyond it fewer are kept, down to one. */
  readonly maxStoreBytes: number
  /** What was written no longer ago may belong to another program's call that is under way, seconds: it stays. */
  readonly keepSeconds: number
}

export const defaultRetention = { maxStoreBytes: 2 * 1024 * 1024 * 1024, keepSeconds: 600 }

/** Single files that git's objects may lie in before they are packed together; git's own figure. */
const maxLooseObjects = 6_700

/**
 * How urgent tidying is. Some more checkpoints are stored than are kept, since it takes a while; twice as many are a sign
 * that it was always cut short.
 */
export async function tidiness(
  shadow: ShadowGit,
  { maxSnapshots, maxStoreBytes }: Retention,
  signal: AbortSignal,
): Promise<'tidy' | 'untidy' | 'urgent'> {
  const stored = Number(text(await git(shadow, { args: ['rev-list', '--count', 'HEAD'] }, signal)))
  const slack = Math.max(1, Math.ceil(maxSnapshots / 5))
  if (stored > 2 * maxSnapshots + slack) return 'urgent'
  const { loose, looseBytes, packedBytes } = await sizeOf(shadow, signal)
  const isLarge = loose > maxLooseObjects || looseBytes + packedBytes > maxStoreBytes
  return stored >= maxSnapshots + slack || isLarge ? 'untidy' : 'tidy'
}

async function sizeOf(shadow: ShadowGit, signal: AbortSignal) {
  const counts = text(await git(shadow, { args: ['count-objects', '-v'] }, signal))
  const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counts)?.[1] ?? 0)
  return { loose: figure('count'), looseBytes: figure('size') * 1024, packedBytes: figure('size-pack') * 1024 }
}

/**
 * Ends the history at the oldest checkpoint that is kept and frees what only older ones hold. Ids stay as they are: git
 * is told that the history begins there, as in a shallow clone. The caller holds the lock. Stopped at any moment it leaves
 * a whole repository; the rest is freed the next time.
 */
export async function tidyStore(shadow: ShadowGit, retention: Retention, signal: AbortSignal): Promise<void> {
  await rm(join(shadow.dir, 'logs'), { recursive: true, force: true })
  for (let keep = retention.maxSnapshots; keep >= 1; keep = Math.floor(keep / 2)) {
    await dropBeyond(shadow, keep, signal)
    await git(shadow, { args: [...repack, '--threads=1'], isLong: true }, signal)
    await git(shadow, { args: ['prune', `--expire=${retention.keepSeconds}.seconds.ago`], isLong: true }, signal)
    if ((await sizeOf(shadow, signal)).packedBytes <= retention.maxStoreBytes) return
  }
}

const repack = ['repack', '-a', '-d', '-q', '--window=5', '--window-memory=64m']

async function dropBeyond(shadow: ShadowGit, keep: number, signal: AbortSignal): Promise<void> {
  const args = ['rev-list', '--first-parent', `--skip=${keep - 1}`, '--max-count=1', 'HEAD']
  const oldest = text(await git(shadow, { args }, signal))
  if (oldest !== '') await writeFileAtomic(join(shadow.dir, 'shallow'), `${oldest}\n`, { mode: 0o644 })
}
