import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { FileSafetyError } from './file-safety-error.ts'

const maxPathChars = 4_096
const maxLinks = 40

/** The absolute path that a model means: `~` is the user's home, anything relative starts at `cwd`. */
export function absolutePath(path: string, cwd: string, userHome: string): string {
  if (path.trim() === '') throw new FileSafetyError('invalid', 'The path is empty.')
  if (path.includes('\0')) throw new FileSafetyError('invalid', 'The path has a NUL character in it.')
  if (path.length > maxPathChars)
    throw new FileSafetyError('invalid', `The path is longer than ${maxPathChars} characters.`)
  if (path === '~' || path.startsWith('~/')) return resolve(join(userHome, path.slice(1)))
  return resolve(cwd, path)
}

/**
 * Where a path really leads: links followed as far as it exists, the rest appended. A link to something that does not
 * exist is followed too, so that writing through it is judged by where it would go.
 */
export async function realTarget(path: string): Promise<string> {
  return follow(path, maxLinks)
}

/** The same, but a link at the very end stays what it is: for removing and moving. */
export async function realEntry(path: string): Promise<string> {
  return dirname(path) === path ? path : join(await realTarget(dirname(path)), basename(path))
}

async function follow(path: string, linksLeft: number): Promise<string> {
  if (linksLeft <= 0) throw new FileSafetyError('unresolvable', `Too many links on the way to ${path}.`)
  try {
    return await realpath(path)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw unresolvable(path, error)
  }
  const parent = dirname(path)
  if (parent === path) return path
  const entry = join(await follow(parent, linksLeft), basename(path))
  const target = await linkTarget(entry)
  if (target === undefined) return entry
  return follow(isAbsolute(target) ? target : join(dirname(entry), target), linksLeft - 1)
}

/** What a link says; undefined for anything that is no link. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw unresolvable(path, error)
  }
}

function unresolvable(path: string, error: unknown): unknown {
  if (isCode(error, 'ELOOP'))
    return new FileSafetyError('unresolvable', `The links on the way to ${path} go round in a circle.`, {
      cause: error,
    })
  if (isCode(error, 'ENOTDIR'))
    return new FileSafetyError('unresolvable', `A part of ${path} is a file, not a folder.`, { cause: error })
  if (isCode(error, 'EACCES'))
    return new FileSafetyError('unresolvable', `No permission to reach ${path}.`, { cause: error })
  if (isCode(error, 'ENAMETOOLONG'))
    return new FileSafetyError('invalid', `A name in ${path.slice(0, 80)}… is too long.`, { cause: error })
  return error
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
