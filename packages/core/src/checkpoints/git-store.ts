import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { AgentContext } from '../agent/context.ts'
import { DatabaseError } from '../storage/database-error.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { CheckpointError, rollbackReason } from './checkpoint-store.ts'
import type { CheckpointStore, Restored, RestorePlan, RestoreRequest, Taken } from './checkpoint-store.ts'
import { notesOf } from './checkpoint-notes.ts'
import { commit, listCommits, messageOf, newest, resolveHash } from './commits.ts'
import { differences } from './differences.ts'
import type { Differences } from './differences.ts'
import { restoreFolder } from './restore.ts'
import { hasShadow, prepareShadow, shadowDir } from './shadow-folder.ts'
import { git } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'
import { defaultRetention, tidiness, tidyStore } from './tidy.ts'
import type { Retention } from './tidy.ts'
import { defaultLimits, storeWorkTree } from './work-tree.ts'
import type { Limits, WorkTree } from './work-tree.ts'

export interface GitStoreOptions {
  /** Absolute. */
  readonly folder: string
  readonly limits?: Limits
  readonly retention?: Partial<Omit<Retention, 'maxSnapshots'>>
}

type Services = Pick<AgentContext, 'home' | 'config' | 'environment' | 'clock'>

/** Longest patch that `diff` gives, bytes. */
const maxPatchBytes = 256 * 1024

/** Opens the checkpoints of a folder; nothing is made before the first one is taken. */
export async function openGitStore(options: GitStoreOptions, services: Services): Promise<CheckpointStore> {
  const folder = await realpath(options.folder)
  const { home, config, environment, clock } = services
  const shadow: ShadowGit = {
    dir: shadowDir(home, folder),
    folder,
    searchPath: environment['PATH'],
    timeoutMs: timeoutSeconds(environment['HERMES_CHECKPOINT_TIMEOUT']) * 1000,
  }
  const skipped = await homeInside(home.dir, folder)
  const { limits = defaultLimits } = options
  const { max_snapshots: maxSnapshots } = config.checkpoints
  const retention: Retention = { ...defaultRetention, ...options.retention, maxSnapshots }

  const locked = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await withFileLock(join(shadow.dir, 'hermes'), work, { timeoutMs: shadow.timeoutMs })
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== 'locked') throw error
      throw new CheckpointError('busy', `another Hermes is taking a checkpoint of ${folder}`, { cause: error })
    }
  }
  const store = (files: readonly string[], signal: AbortSignal) =>
    storeWorkTree({ shadow, limits, skipped, files: files.filter((path) => isBelow(path)) }, signal)

  /** The state now, stored, and how a checkpoint differs from it. */
  const compare = async (
    request: RestoreRequest,
    signal: AbortSignal,
  ): Promise<Differences & { hash: string; work: WorkTree }> => {
    if (request.path !== undefined && !isBelow(request.path)) {
      throw new CheckpointError('bad-path', `${request.path} is not in ${folder}.`)
    }
    await prepareShadow(shadow, signal)
    const hash = await resolveHash(shadow, request.hash, signal)
    const work = await store([], signal)
    const notes = notesOf(await messageOf(shadow, hash, signal))
    return { hash, work, ...(await differences({ shadow, hash, work, notes, request }, signal)) }
  }

  return {
    folder,
    take: (reason, files, outer) =>
      locked(() =>
        withinTime(2 * shadow.timeoutMs, outer, async (signal): Promise<Taken> => {
          await prepareShadow(shadow, signal)
          const work = await store(files, signal)
          const hash = await commit(shadow, work, { reason, clock }, signal)
          const state = hash === undefined ? 'tidy' : await tidiness(shadow, retention, signal)
          if (state === 'urgent') await tidyStore(shadow, retention, outer)
          return { hash, leftOut: work.leftOut, needsTidying: state === 'untidy' }
        }),
      ),
    list: async (signal) => (hasShadow(shadow) ? listCommits(shadow, maxSnapshots, signal) : []),
    diff: (hash, signal) =>
      locked(async () => {
        await prepareShadow(shadow, signal)
        const full = await resolveHash(shadow, hash, signal)
        const { tree } = await store([], signal)
        const args = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', full, tree]
        const show = async (form: string) =>
          (
            await git(
              shadow,
              { args: ['diff', form, ...args], maxBytes: maxPatchBytes, cut: true, isLong: true },
              signal,
            )
          )
            .toString('utf8')
            .trimEnd()
        return { summary: await show('--stat=100'), patch: await show('--patch') }
      }),
    planRestore: (request, signal) =>
      locked(async (): Promise<RestorePlan> => {
        const { wanted, created } = await compare(request, signal)
        return { changed: wanted.map(({ path }) => path), created }
      }),
    restore: ({ remove, ...request }, signal) =>
      locked(async (): Promise<Restored> => {
        const { hash, work, wanted, created } = await compare(request, signal)
        const reason = rollbackReason(hash)
        const undo = (await commit(shadow, work, { reason, clock }, signal)) ?? (await newest(shadow, signal)) ?? hash
        return { ...(await restoreFolder({ shadow, work, wanted, created, remove }, signal)), undo }
      }),
    tidy: (signal) =>
      locked(async () => {
        await prepareShadow(shadow, signal)
        if (await newest(shadow, signal)) await tidyStore(shadow, retention, signal)
      }),
  }
}

/** Works no longer than this. Throws `CheckpointError` with code `timeout` when that was not enough. */
async function withinTime<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = AbortSignal.timeout(ms)
  try {
    return await work(AbortSignal.any([outer, limit]))
  } catch (error) {
    if (outer.aborted || !limit.aborted) throw error
    throw new CheckpointError('timeout', `it took longer than ${ms / 1000} s`, { cause: error })
  }
}

/** Whether a relative path names something in the folder, not the folder itself. */
function isBelow(path: string): boolean {
  return (
    path !== '' && !isAbsolute(path) && !path.split(sep).some((part) => part === '..' || part === '' || part === '.')
  )
}

/** The Hermes home, where it is in the folder: nothing of it belongs in a checkpoint. */
async function homeInside(home: string, folder: string): Promise<readonly string[]> {
  const real = await realpath(home).catch(() => resolve(home))
  const path = relative(folder, real)
  return isBelow(path) ? [path] : []
}

/** Upstream's setting: seconds of one call of git. */
function timeoutSeconds(text: string | undefined): number {
  const seconds = Number(text?.trim() || Number.NaN)
  return Number.isFinite(seconds) ? Math.min(60, Math.max(10, seconds)) : 30
}
