import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { AgentContext } from '../agent/context.ts'
import { DatabaseError } from '../storage/database-error.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { CheckpointError } from './checkpoint-store.ts'
import type { CheckpointStore, Restored, RestorePlan, RestoreRequest, Taken } from './checkpoint-store.ts'
import { modeIn, notesOf } from './checkpoint-notes.ts'
import type { CheckpointNotes } from './checkpoint-notes.ts'
import { commit, compareTrees, listCommits, messageOf, newest, resolveHash, treeOf } from './commits.ts'
import { countStored, dropBeyond, slackOf } from './drop-old.ts'
import { removeFiles, restoreFiles } from './restore-files.ts'
import type { WantedFile } from './restore-files.ts'
import { hasShadow, prepareShadow, shadowDir } from './shadow-folder.ts'
import { git, nulEnded, records } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'
import { defaultLimits, storeWorkTree } from './work-tree.ts'
import type { Limits, WorkTree } from './work-tree.ts'

export interface GitStoreOptions {
  /** Absolute. */
  readonly folder: string
  readonly limits?: Limits
  /** What was stored no longer ago is never freed, seconds: another program may be about to use it. */
  readonly keepSeconds?: number
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
  const { limits = defaultLimits, keepSeconds } = options
  const { max_snapshots: maxSnapshots } = config.checkpoints

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

  /** The state now and what differs from it in a checkpoint; `work` is a checkpoint already where it must be one. */
  const compare = async (request: RestoreRequest, signal: AbortSignal): Promise<Comparison> => {
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
    take: (reason, files, signal) =>
      locked(async (): Promise<Taken> => {
        await prepareShadow(shadow, signal)
        const work = await store(files, signal)
        const hash = await commit(shadow, work, { reason, clock }, signal)
        const isOverfull =
          hash !== undefined && (await countStored(shadow, signal)) >= maxSnapshots + slackOf(maxSnapshots)
        return { hash, leftOut: work.leftOut, isOverfull }
      }),
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
        const reason = `before rollback to ${hash.slice(0, 8)}`
        const undo = (await commit(shadow, work, { reason, clock }, signal)) ?? (await newest(shadow, signal)) ?? hash
        const allowed = new Set(remove)
        const isKept = (path: string) => !work.leftOut.includes(path) && (work.modes.has(path) || isLink(created, path))
        // What the folder ignored then is none of its files; its rules of then are needed to tell.
        const rules = wanted.filter(({ path }) => /(?:^|\/)\.gitignore$/.test(path))
        const others = wanted.filter((file) => !rules.includes(file))
        const problems = new Map(await restoreFiles(rules, { shadow, isKept }, signal))
        const ignored = await ignoredOf(shadow, created, signal)
        const going = created.filter((path) => allowed.has(path) && !ignored.has(path))
        for (const [path, problem] of await removeFiles(going, folder)) problems.set(path, problem)
        for (const [path, problem] of await restoreFiles(others, { shadow, isKept }, signal))
          problems.set(path, problem)
        const gone = new Set(going.filter((path) => !problems.has(path)))
        return {
          restored: wanted.map(({ path }) => path).filter((path) => !problems.has(path)),
          removed: [...gone],
          kept: created.filter((path) => !gone.has(path)),
          problems: [...problems].map(([path, problem]) => `${path}: ${problem}`),
          undo,
        }
      }),
    dropOld: (signal) =>
      locked(async () => {
        await prepareShadow(shadow, signal)
        await dropBeyond(shadow, maxSnapshots, signal, keepSeconds)
      }),
  }
}

interface Comparison {
  readonly hash: string
  readonly work: WorkTree
  readonly wanted: readonly WantedFile[]
  readonly created: readonly string[]
}

interface Sides {
  readonly shadow: ShadowGit
  readonly hash: string
  readonly work: WorkTree
  readonly notes: CheckpointNotes | undefined
  readonly request: RestoreRequest
}

/** What must be brought back, and what was made since. */
async function differences({ shadow, hash, work, notes, request }: Sides, signal: AbortSignal) {
  const isAsked = ({ path }: { readonly path: string }) =>
    request.path === undefined || path === request.path || path.startsWith(`${request.path}/`)
  const changes = (await compareTrees(shadow, work.tree, await treeOf(shadow, hash, signal), signal)).filter(isAsked)
  const modeOf = notes && modeIn(notes)
  const notKept = new Set(notes?.leftOut)
  const wanted: WantedFile[] = []
  const created: string[] = []
  for (const { path, to } of changes) {
    const isProgram = (to.mode & 0o100) !== 0
    if (to.mode === 0o100644 || to.mode === 0o100755 || to.mode === 0o120000) {
      wanted.push({ path, entry: to, mode: modeOf?.(path, isProgram), isModeOnly: false })
    } else if (to.mode === 0 && !notKept.has(path)) created.push(path)
  }
  if (modeOf) wanted.push(...changedModes({ work, modeOf, changes }).filter(isAsked))
  return { wanted, created }
}

/** Files whose content is the same and whose permission bits are not. */
function changedModes(sides: {
  readonly work: WorkTree
  readonly modeOf: ReturnType<typeof modeIn>
  readonly changes: readonly { readonly path: string }[]
}): WantedFile[] {
  const differing = new Set(sides.changes.map(({ path }) => path))
  const found: WantedFile[] = []
  for (const [path, mode] of sides.work.modes) {
    const then = sides.modeOf(path, (mode & 0o100) !== 0)
    if (mode === then || differing.has(path)) continue
    found.push({ path, entry: { mode, object: '' }, mode: then, isModeOnly: true })
  }
  return found
}

/** Those of `paths` that the folder's rules name now. */
async function ignoredOf(shadow: ShadowGit, paths: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const args = ['check-ignore', '-z', '--stdin', '--no-index']
  return new Set(records(await git(shadow, { args, input: nulEnded(paths), codes: [0, 1] }, signal)))
}

/** Links have no mode of their own; those made since are in the checkpoint before the restore. */
function isLink(created: readonly string[], path: string): boolean {
  return created.includes(path)
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
