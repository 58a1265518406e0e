import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { copyFile, link, lstat, open, readlink, rename, symlink, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileSafetyError } from '../security/file-safety-error.ts'
import type { CheckedPath } from '../security/file-safety.ts'
import { journalled, markOf } from './change-journal.ts'
import type { Journal, JournalStep } from './change-journal.ts'
import { isSameVersion, versionOf } from './file-reads.ts'
import type { FileVersion } from './file-reads.ts'
import { makeFolders, openFolder, removeFolders } from './open-folder.ts'
import type { OpenFolder } from './open-folder.ts'

/** One change of a file, by paths that were checked for writing. */
export type FileChange =
  | {
      readonly type: 'write'
      readonly target: CheckedPath
      readonly content: Uint8Array
      /** What the content was made from: written only if the file is still so. Absent: whatever is there is replaced. */
      readonly expected?: FileVersion
      /** The file whose mode and owner a new one gets, where it is not the target's own. */
      readonly like?: BigIntStats
    }
  | { readonly type: 'remove'; readonly target: CheckedPath }
  | { readonly type: 'move'; readonly from: CheckedPath; readonly target: CheckedPath }

export interface ChangedFiles {
  /** What each target is now; absent for removed ones. By real path. */
  readonly versions: ReadonlyMap<string, FileVersion>
  /** Whether folders were made. */
  readonly madeFolders: boolean
}

/** Something done that can be undone, or must be tidied up once nothing will be. */
interface Step {
  undo(): Promise<void>
  finish(): Promise<void>
}

/**
 * Makes all changes or none. Everything is written aside first, then put in place by renames; when one fails, those
 * before it are taken back. A file keeps its mode and owner; one that exists is never replaced by a new one unseen.
 * With `journal`, a process that dies in the middle leaves a note there, by which `finishChanges` ends it.
 */
export async function changeFiles(
  changes: readonly FileChange[],
  signal: AbortSignal,
  journal?: string,
): Promise<ChangedFiles> {
  // One change is one rename: nobody can die in the middle of it.
  if (journal === undefined || changes.length < 2) return makeChanges(changes, signal)
  return journalled(journal, (note) => makeChanges(changes, signal, note))
}

async function makeChanges(
  changes: readonly FileChange[],
  signal: AbortSignal,
  note?: (journal: Journal) => Promise<void>,
): Promise<ChangedFiles> {
  await using resources = new AsyncDisposableStack()
  const madeFolders: string[] = []
  const steps: Step[] = []
  try {
    const staged = []
    for (const change of changes) {
      signal.throwIfAborted()
      staged.push(await stage(change, madeFolders, resources))
    }
    signal.throwIfAborted()
    await note?.({ steps: staged.map(({ step }) => step), madeFolders: madeFolders.toReversed() })
    // From here on nothing is interrupted: it is short, and half of it would be worse than all.
    for (const [index, each] of staged.entries()) steps.push(await each.perform(index < staged.length - 1))
  } catch (error) {
    const failed = await undoAll(steps)
    await resources.disposeAsync()
    if (failed.length > 0) throw halfDone(error, failed)
    await removeFolders(madeFolders.toReversed())
    throw error
  }
  for (const step of steps) await step.finish()
  return { versions: await versionsOf(changes), madeFolders: madeFolders.length > 0 }
}

/** Takes back what was done, last first. Returns what could not be taken back. */
async function undoAll(steps: readonly Step[]): Promise<unknown[]> {
  const failed: unknown[] = []
  for (const step of steps.toReversed()) {
    try {
      await step.undo()
    } catch (error) {
      failed.push(error)
    }
  }
  return failed
}

function halfDone(cause: unknown, failed: readonly unknown[]): Error {
  const reasons = failed.map(String).join('; ')
  return new Error(
    `The changes failed (${String(cause)}) and could not all be taken back (${reasons}). Check the files.`,
    { cause },
  )
}

/** A change that is prepared. `undoable`: changes come after it, so it may have to be undone. */
interface Staged {
  readonly step: JournalStep
  perform(undoable: boolean): Promise<Step>
}

async function stage(change: FileChange, madeFolders: string[], resources: AsyncDisposableStack): Promise<Staged> {
  const { target } = change
  if (change.type !== 'remove') madeFolders.push(...(await makeFolders(dirname(target.path))).toReversed())
  const folder = resources.use(await openFolder(dirname(target.path)))
  const path = join(folder.path, basename(target.path))
  const backup = join(folder.path, asideName())
  if (change.type === 'remove') {
    return {
      step: { type: 'remove', path: target.path, backup: basename(backup) },
      perform: (undoable) => remove(path, folder, undoable ? backup : undefined),
    }
  }
  if (change.type === 'move') {
    const source = resources.use(await openFolder(dirname(change.from.path)))
    const from = join(source.path, basename(change.from.path))
    return {
      step: { type: 'move', from: change.from.path, path: target.path, mark: (await markOf(from)) ?? '' },
      perform: () => move(from, path, target.asked),
    }
  }
  const fresh = await writeAside(folder, change, resources)
  return {
    step: {
      type: 'write',
      path: target.path,
      replaces: target.stats !== undefined,
      fresh: basename(fresh),
      backup: basename(backup),
      mark: (await markOf(fresh)) ?? '',
    },
    perform: (undoable) => putInPlace({ fresh, path, backup: undoable ? backup : undefined }, folder, change),
  }
}

async function writeAside(
  folder: OpenFolder,
  { target, content, like }: Extract<FileChange, { type: 'write' }>,
  resources: AsyncDisposableStack,
): Promise<string> {
  const path = join(folder.path, asideName())
  const old = target.stats ?? like
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, old ? 0o600 : 0o666)
  resources.defer(() => unlinkIfThere(path))
  try {
    await file.writeFile(content)
    if (old) {
      const own = await file.stat({ bigint: true })
      if (own.uid !== old.uid || own.gid !== old.gid) await giveTo(file, old)
      await file.chmod(Number(old.mode & 0o7777n))
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return path
}

async function giveTo(file: { chown(uid: number, gid: number): Promise<void> }, old: BigIntStats): Promise<void> {
  try {
    await file.chown(Number(old.uid), Number(old.gid))
  } catch (error) {
    // Only the superuser may give a file away; anybody else's edit makes it theirs, as any editor's does.
    if (!isCode(error, 'EPERM')) throw error
  }
}

async function putInPlace(
  { fresh, path, backup }: { readonly fresh: string; readonly path: string; readonly backup: string | undefined },
  folder: OpenFolder,
  { target, expected }: Extract<FileChange, { type: 'write' }>,
): Promise<Step> {
  if (!target.stats) {
    await placeNew(fresh, path, target.asked)
    await folder.sync()
    return { undo: () => unlink(path), finish: async () => {} }
  }
  const now = await lstat(path, { bigint: true })
  if (!now.isFile() || (expected && !isSameVersion(versionOf(now), expected))) throw changedMeanwhile(target.asked)
  if (backup) await linkOrCopy(path, backup)
  await rename(fresh, path)
  await folder.sync()
  return {
    undo: async () => {
      if (backup) await rename(backup, path)
    },
    finish: async () => {
      if (backup) await unlinkIfThere(backup)
    },
  }
}

async function remove(path: string, folder: OpenFolder, backup: string | undefined): Promise<Step> {
  if (backup === undefined) {
    await unlink(path)
    await folder.sync()
    return { undo: async () => {}, finish: async () => {} }
  }
  await rename(path, backup)
  return { undo: () => rename(backup, path), finish: () => unlinkIfThere(backup) }
}

async function move(from: string, to: string, asked: string): Promise<Step> {
  const isLink = (await lstat(from)).isSymbolicLink()
  if (isLink) await symlink(await readlink(from), to)
  else await placeNew(from, to, asked)
  await unlinkIfThere(from)
  return { undo: () => rename(to, from), finish: async () => {} }
}

/** Gives a file its name where there must be none by that name yet. */
async function placeNew(from: string, to: string, asked: string): Promise<void> {
  try {
    await linkOrCopy(from, to)
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw changedMeanwhile(asked)
    throw error
  }
}

/** A second name for a file; a copy where the file system has no second names, or it is another file system. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK')) throw error
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}

function asideName(): string {
  return `.hermes-${randomBytes(8).toString('hex')}.tmp`
}

async function versionsOf(changes: readonly FileChange[]): Promise<Map<string, FileVersion>> {
  const versions = new Map<string, FileVersion>()
  for (const change of changes) {
    if (change.type === 'remove') continue
    versions.set(change.target.path, versionOf(await lstat(change.target.path, { bigint: true })))
  }
  return versions
}

function changedMeanwhile(path: string): FileSafetyError {
  return new FileSafetyError(
    'changed',
    `${path} was changed by something else in this moment; nothing was written. Read it again first.`,
  )
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
