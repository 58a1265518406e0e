import { constants } from 'node:fs'
import { mkdir, open, readlink, rmdir } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FileSafetyError } from '../security/file-safety-error.ts'

/** A folder held open, so that what is done in it is done there even if its path comes to lead elsewhere. */
export interface OpenFolder extends AsyncDisposable {
  /** Begins the paths of its entries. */
  readonly path: string
  /** Makes changes of its entries durable, where the system can. */
  sync(): Promise<void>
}

/**
 * Opens a folder by its real path. Throws `FileSafetyError` with code `changed` when that leads elsewhere by now; only
 * Linux can tell, and elsewhere the path itself is used.
 */
export async function openFolder(path: string): Promise<OpenFolder> {
  const handle = await openIfReadable(path)
  const own = handle && (await ownPath(handle))
  if (handle && own && own.leadsTo !== path) {
    await handle.close()
    throw new FileSafetyError('changed', `${path} was replaced while it was being used; try again.`)
  }
  return {
    path: own ? own.path : path,
    sync: async () => {
      try {
        await handle?.sync()
      } catch (error) {
        if (!isCode(error, 'EINVAL', 'EPERM', 'ENOTSUP', 'EROFS')) throw error
      }
    },
    [Symbol.asyncDispose]: async () => handle?.close(),
  }
}

/** Makes a folder and those above it that are missing. Returns the ones made, innermost first. */
export async function makeFolders(path: string): Promise<string[]> {
  const outermost = await mkdir(path, { recursive: true })
  const made: string[] = []
  if (outermost === undefined) return made
  for (let folder = path; folder.length >= outermost.length; folder = dirname(folder)) made.push(folder)
  return made
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

/** Undefined for a folder that may be used but not listed. */
async function openIfReadable(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    if (isCode(error, 'EACCES', 'EPERM', 'EISDIR')) return undefined
    throw error
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
