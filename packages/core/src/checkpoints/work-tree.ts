import { constants } from 'node:fs'
import { access, copyFile, lstat, rename, rm, stat, utimes } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { CheckpointError } from './checkpoint-store.ts'
import { listFiles } from './list-files.ts'
import { ignoreMissing, realFolders } from './real-folders.ts'
import { indexCopyPrefix } from './shadow-folder.ts'
import { git, nulEnded } from './shadow-git.ts'
import type { ShadowGit } from './shadow-git.ts'

/** How much of a folder is kept. */
export interface Limits {
  readonly maxFiles: number
  /** A larger file is left out. */
  readonly maxFileBytes: number
  /** Of all files together: beyond it there is no checkpoint. */
  readonly maxTotalBytes: number
}

export const defaultLimits: Limits = {
  maxFiles: 50_000,
  maxFileBytes: 20 * 1024 * 1024,
  maxTotalBytes: 512 * 1024 * 1024,
}

/** A folder's present state, stored but not yet named by a checkpoint. */
export interface WorkTree {
  /** Id of the tree. */
  readonly tree: string
  /** Every file and link in it. */
  readonly paths: ReadonlySet<string>
  /** Permission bits of each file that is no link. */
  readonly modes: ReadonlyMap<string, number>
  readonly leftOut: readonly string[]
}

export interface WorkTreeSources {
  readonly shadow: ShadowGit
  readonly limits: Limits
  /** Folders below it that are never looked into, relative. */
  readonly skipped: readonly string[]
  /** Files taken along although the project ignores them, relative. */
  readonly files: readonly string[]
}

/**
 * Stores the folder's present state. Works on a copy of the index, so that a process that is killed leaves the index
 * whole; a second try begins with an empty one, for the case that the first found it damaged or files moved beneath it.
 */
export async function storeWorkTree(sources: WorkTreeSources, signal: AbortSignal): Promise<WorkTree> {
  const { dir } = sources.shadow
  const index = join(dir, `${indexCopyPrefix}${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    await copyIndex(join(dir, 'index'), index).catch(ignoreMissing)
    const stored = await fill(index, sources, signal).catch(async (error: unknown) => {
      if (!(error instanceof CheckpointError) || error.code !== 'git') throw error
      await rm(index, { force: true })
      return fill(index, sources, signal)
    })
    await rename(index, join(dir, 'index')).catch(ignoreMissing)
    return stored
  } finally {
    await rm(index, { force: true })
    await rm(`${index}.lock`, { force: true })
  }
}

/**
 * Git looks into a file that seems unchanged when it was written in the same second as the index or later: a copy that
 * seemed newer would hide what was changed just after the checkpoint.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await stat(from)
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  const seconds = Math.floor(mtimeMs / 1000)
  await utimes(to, seconds, seconds)
}

async function fill(index: string, sources: WorkTreeSources, signal: AbortSignal): Promise<WorkTree> {
  const { shadow, limits } = sources
  const { present, stale } = await listFiles(index, sources, signal)
  const found = await inspect(present, sources, signal)
  if (found.totalBytes > limits.maxTotalBytes) {
    const most = `${Math.round(limits.maxTotalBytes / 1024 / 1024)} MB`
    throw new CheckpointError('too-large', `${shadow.folder} holds more than ${most} in files that would be kept`)
  }
  const gone = [...stale, ...found.leftOut, ...found.missing]
  if (gone.length > 0) {
    const input = nulEnded(gone.map((path) => `0 ${'0'.repeat(40)}\t${path}`))
    await git(shadow, { args: ['update-index', '-z', '--index-info'], index, input, isLong: true }, signal)
  }
  const add = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  await git(shadow, { args: add, index, input: nulEnded(found.paths), isLong: true }, signal)
  const tree = await git(shadow, { args: ['write-tree'], index, isLong: true }, signal)
  return { tree: tree.toString('utf8').trim(), paths: new Set(found.paths), modes: found.modes, leftOut: found.leftOut }
}

const lanes = 32

/** Looks at every file: what can be kept, and how large all of them are. */
async function inspect(present: readonly string[], { shadow, limits }: WorkTreeSources, signal: AbortSignal) {
  const modes = new Map<string, number>()
  const paths: string[] = []
  const leftOut: string[] = []
  const missing: string[] = []
  let totalBytes = 0
  const isRealFolder = realFolders(shadow.folder)
  const look = async (path: string) => {
    // Git's names are bytes; what is no text cannot be told from another.
    if (path.includes('\ufffd')) return leftOut.push(path)
    if (!(await isRealFolder(dirname(path)))) return missing.push(path)
    const full = join(shadow.folder, path)
    const stats = await lstat(full).catch(ignoreMissing)
    if (!stats || (!stats.isFile() && !stats.isSymbolicLink())) return missing.push(path)
    if (stats.isFile()) {
      if (stats.size > limits.maxFileBytes || !(await isReadable(full))) return leftOut.push(path)
      modes.set(path, stats.mode & 0o777)
    }
    totalBytes += stats.size
    return paths.push(path)
  }
  const rest = present.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const path of rest) {
        signal.throwIfAborted()
        await look(path)
      }
    }),
  )
  return { paths, modes, leftOut: leftOut.sort(), missing, totalBytes }
}

async function isReadable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
