import { constants } from 'node:fs'
import { lstat, mkdir, open, readlink, realpath, rmdir } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileSafetyError } from '../security/file-safety-error.ts'

/** A folder held open, so that what is done in it is done there even if its path comes to lead elsewhere. */
export interface OpenFolder extends AsyncDisposable {
  /** Begins the paths of its entries. */
  readonly path: string
  /** Makes changes of its entries durable, where the system can. */
  sync(): Promise<void>
}

/**
 * Opens a folder by its real path. Throws `FileSafetyError` with code `changed` when that leads elsewhere by now. Where
 * the system cannot tell what an open folder is (other than Linux), the path itself is used once it was looked at again.
 */
export async function openFolder(path: string): Promise<OpenFolder> {
  const handle = await openIfReadable(path)
  try {
    const own = handle && (await ownPath(handle))
    const leadsTo = own ? own.leadsTo : await realpath(path)
    if (leadsTo !== path) {
      throw new FileSafetyError('changed', `${path} was replaced while it was being used; try again.`)
    }
    return {
      path: own ? own.path : path,
      sync: async () => {
        try {
          await handle?.sync()
        } catch (error) {
          if (!isCode(error, 'EINVAL', 'EPERM', 'ENOTSUP', 'EROFS', 'EBADF')) throw error
        }
      },
      [Symbol.asyncDispose]: async () => handle?.close(),
    }
  } catch (error) {
    await handle?.close()
    throw error
  }
}

/**
 * Makes a folder and those above it that are missing, each in its parent held open, so that none comes to lie elsewhere.
 * Returns the ones made, innermost first. Throws `FileSafetyError` with code `changed`.
 */
export async function makeFolders(path: string): Promise<string[]> {
  const missing: string[] = []
  for (let folder = path; !(await isThere(folder)); folder = dirname(folder)) missing.push(folder)
  const made: string[] = []
  for (const folder of missing.toReversed()) {
    await using parent = await openFolder(dirname(folder))
    try {
      await mkdir(join(parent.path, basename(folder)))
      made.unshift(folder)
    } catch (error) {
      // Somebody else made it; whoever opens it sees whether it is a folder.
      if (!isCode(error, 'EEXIST')) throw error
    }
  }
  return made
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

/** Removes folders again, innermost first, as long as they are empty. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await rmdir(folder)
    } catch (error) {
      if (isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return
      throw error
    }
  }
}

/** To hold a folder that may be used but not listed (Linux). */
const pathOnly = 0o10000000

/** Undefined for a folder that may be used but not listed, where the system cannot hold such a one. */
async function openIfReadable(path: string): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  try {
    return await open(path, flags)
  } catch (error) {
    if (!isCode(error, 'EACCES', 'EPERM', 'EISDIR')) throw error
    return process.platform === 'linux' ? await open(path, flags | pathOnly) : undefined
  }
}

async function ownPath(handle: FileHandle): Promise<{ path: string; leadsTo: string } | undefined> {
  const path = `/proc/self/fd/${handle.fd}`
  try {
    return { path, leadsTo: await readlink(path) }
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return undefined
    throw error
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
