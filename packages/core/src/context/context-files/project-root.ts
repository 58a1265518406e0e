import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WatchPath } from '../../storage/file-memo.ts'

/** Folders looked at on the way up. */
const maxDepth = 64

export interface ProjectRoot {
  /** The folder itself, links followed. */
  readonly folder: string
  /** The top of the git repository that it is in; undefined outside one. */
  readonly gitRoot: string | undefined
}

/** Where a project's files lie, from a folder in it. A folder that is not there is its own project. */
export async function findProjectRoot(start: string, watch?: WatchPath): Promise<ProjectRoot> {
  watch?.(start)
  const folder = await realOr(start)
  let at = folder
  for (let depth = 0; depth < maxDepth; depth++) {
    watch?.(join(at, '.git'))
    if (await isThere(join(at, '.git'))) return { folder, gitRoot: at }
    const parent = dirname(at)
    if (parent === at) break
    at = parent
  }
  return { folder, gitRoot: undefined }
}

/** The folders from `folder` upward to `top`, or to the root of the file system. */
export function foldersUpward(folder: string, top: string | undefined): readonly string[] {
  const folders = [folder]
  for (let at = folder; at !== top && folders.length < maxDepth;) {
    const parent = dirname(at)
    if (parent === at) break
    folders.push(parent)
    at = parent
  }
  return folders
}

async function realOr(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return path
    throw error
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
