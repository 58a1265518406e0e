import { lstat, readFile, readdir, readlink, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { GuardFile } from './scan-files.ts'

/** A folder with more than this is no skill; the rest is not looked at, and the number alone is a finding. */
const maxFiles = 500
const maxReadBytes = 2 * 1024 * 1024
const maxDepth = 12

/** The files of a folder for the guard, hidden ones too. Links are told, not followed. */
export async function readFolder(folder: string): Promise<GuardFile[]> {
  const files: GuardFile[] = []
  const root = await realpath(folder)

  async function visit(dir: string, prefix: string, depth: number): Promise<void> {
    const names = (await readdir(dir)).sort()
    for (const name of names) {
      if (files.length >= maxFiles) return
      const path = join(dir, name)
      const stats = await lstat(path)
      const relative = prefix + name
      if (stats.isSymbolicLink()) files.push(await linkOf(path, relative, root))
      else if (stats.isDirectory()) {
        if (depth < maxDepth) await visit(path, `${relative}/`, depth + 1)
      } else {
        const bytes = stats.isFile() && stats.size <= maxReadBytes ? await readFile(path) : undefined
        files.push({ path: relative, size: stats.size, ...(bytes && { bytes }) })
      }
    }
  }

  await visit(root, '', 0)
  return files
}

async function linkOf(path: string, relative: string, root: string): Promise<GuardFile> {
  const target = await readlink(path)
  try {
    const real = await realpath(path)
    return { path: relative, size: 0, link: { target, isInside: real === root || real.startsWith(root + sep) } }
  } catch (error) {
    // A link to nothing leads outside for all that can be told.
    if (error instanceof Error && 'code' in error) return { path: relative, size: 0, link: { target, isInside: false } }
    throw error
  }
}
