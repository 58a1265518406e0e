import { chmod, lstat, mkdir, readdir, rm, rmdir, symlink, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import type { TreeEntry } from './commits.ts'
import { readObjects } from './read-objects.ts'
import type { ShadowGit } from './shadow-git.ts'
import { ignoreMissing, realFolders } from './real-folders.ts'

/** One file to bring back. */
export interface WantedFile {
  readonly path: string
  readonly entry: TreeEntry
  /** Permission bits; undefined: as git has them (program or not), the rest as it is now. */
  readonly mode: number | undefined
  /** Only the permission bits differ. */
  readonly isModeOnly: boolean
}

export interface FileRestore {
  readonly shadow: ShadowGit
  /** Whether what is at this path now is in a checkpoint, so that it may be replaced. */
  readonly isSaved: (path: string) => boolean
}

/**
 * Brings files back, each in one step: whoever looks, at whatever moment it is stopped, finds the old one or the new one.
 * Never writes through a link. Resolves to what could not be done.
 */
export async function restoreFiles(
  wanted: readonly WantedFile[],
  restore: FileRestore,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  const attempt = async (path: string, work: () => Promise<void>) => {
    signal.throwIfAborted()
    try {
      await work()
    } catch (error) {
      problems.set(path, error instanceof Error ? error.message : String(error))
    }
  }
  for (const { path, mode } of wanted.filter(({ isModeOnly }) => isModeOnly)) {
    if (mode !== undefined) await attempt(path, () => chmod(join(restore.shadow.folder, path), mode))
  }
  const files = wanted.filter(({ isModeOnly }) => !isModeOnly)
  for await (const [file, content] of readObjects(restore.shadow, files, signal)) {
    await attempt(file.path, () => putBack(file, content, restore))
  }
  return problems
}

async function putBack(file: WantedFile, content: Buffer, restore: FileRestore): Promise<void> {
  const { path, entry } = file
  if (!isInside(path)) throw new Error('its path leads out of the folder')
  await makeParents(path, restore.shadow.folder)
  const full = join(restore.shadow.folder, path)
  const current = await lstat(full).catch(ignoreMissing)
  if (current && !current.isDirectory() && !restore.isSaved(path)) {
    throw new Error('what is there now is in no checkpoint (too large, say); move it away first')
  }
  if (current?.isDirectory()) await removeEmptyFolder(full)
  if (entry.mode === 0o120000) {
    if (current && !current.isDirectory()) await unlink(full)
    await symlink(content, full)
    return
  }
  if (current && !current.isFile() && !current.isDirectory()) await unlink(full)
  const isProgram = (entry.mode & 0o100) !== 0
  const mode = file.mode ?? withProgramBits(current?.isFile() ? current.mode & 0o777 : 0o666 & ~umask(), isProgram)
  await writeFileAtomic(full, content, { mode })
  await chmod(full, mode)
}

/** Paths come out of a repository that other programs write, too. */
function isInside(path: string): boolean {
  return (
    path !== '' && path.split('/').every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git')
  )
}

/** Makes the folders of a path. */
async function makeParents(path: string, folder: string): Promise<void> {
  let at = ''
  for (const part of path.split('/').slice(0, -1)) {
    at = at === '' ? part : `${at}/${part}`
    const stats = await lstat(join(folder, at)).catch(ignoreMissing)
    // A link is no folder: what is behind it is somewhere else.
    if (stats && !stats.isDirectory()) throw new Error(`${at} is in its way`)
    if (!stats) await mkdir(join(folder, at))
  }
}

/** Takes away a folder that holds nothing but empty folders. */
async function removeEmptyFolder(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isDirectory()) throw new Error('a folder with files in it is in its place')
    await removeEmptyFolder(join(path, entry.name))
  }
  await rmdir(path)
}

function withProgramBits(mode: number, isProgram: boolean): number {
  // Who may read it may run it.
  return isProgram ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}

function umask(): number {
  return process.umask()
}

/** Removes files that were made since, with the folders that they leave empty. Resolves to what could not be done. */
export async function removeFiles(paths: readonly string[], folder: string): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  const isRealFolder = realFolders(folder)
  for (const path of paths) {
    try {
      if (!isInside(path) || !(await isRealFolder(dirname(path)))) continue
      await rm(join(folder, path), { force: true })
    } catch (error) {
      problems.set(path, error instanceof Error ? error.message : String(error))
    }
  }
  for (const path of paths) await removeEmptied(dirname(path), folder)
  return problems
}

async function removeEmptied(path: string, folder: string): Promise<void> {
  for (let at = path; at !== '.' && at !== ''; at = dirname(at)) {
    try {
      await rmdir(join(folder, at))
    } catch {
      // It holds something, or has gone.
      return
    }
  }
}
