import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, chown, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface AtomicWriteOptions {
  /** Mode of a file that is new; one that exists keeps its mode and owner. Default `0o600`. */
  readonly mode?: number
  /** False: nobody waits for the disk. For what says nothing any more once the machine has stopped. Default true. */
  readonly isSynced?: boolean
}

/**
 * Replaces a file in one step: whoever reads it, at whatever moment the machine stops, finds the old bytes or the new
 * ones. A link is followed, so that its target is replaced. Missing folders are made (0700).
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode = 0o600, isSynced = true }: AtomicWriteOptions = {},
): Promise<void> {
  const target = await followLink(path)
  const folder = dirname(target)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeNew(temporary, data, { mode, isSynced })
    await keepModeAndOwner(target, temporary)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  if (isSynced) await syncFolder(folder)
  await sweep(folder, basename(target))
}

/** Older than this, a temporary file belongs to nobody who still writes, ms. */
const abandonedMs = 3_600_000

/** Removes what writers of the same file left behind when they were killed. */
async function sweep(folder: string, name: string): Promise<void> {
  const isOurs = (other: string) =>
    other.startsWith(`.${name}.`) && /^[0-9a-f]{12}\.tmp$/.test(other.slice(name.length + 2))
  try {
    for (const other of (await readdir(folder)).filter(isOurs)) {
      const path = join(folder, other)
      const left = await statIfThere(path)
      if (left?.isFile() && Date.now() - left.mtimeMs > abandonedMs) await rm(path, { force: true })
    }
  } catch (error) {
    // The write itself is done; a folder that cannot be listed keeps what is in it.
    if (!isErrorCode(error, 'EPERM', 'EACCES', 'ENOENT')) throw error
  }
}

async function followLink(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return path
    throw error
  }
}

async function writeNew(
  path: string,
  data: string | Uint8Array,
  { mode, isSynced }: Required<AtomicWriteOptions>,
): Promise<void> {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
  const file = await open(path, flags, mode)
  try {
    await file.writeFile(data)
    if (isSynced) await file.sync()
  } finally {
    await file.close()
  }
}

async function keepModeAndOwner(from: string, to: string): Promise<void> {
  const [old, fresh] = await Promise.all([statIfThere(from), stat(to)])
  if (!old) return
  if (old.uid !== fresh.uid || old.gid !== fresh.gid) {
    try {
      await chown(to, old.uid, old.gid)
    } catch (error) {
      // Only the superuser may give a file away; anybody else's write makes the file theirs, as any editor's does.
      if (!isErrorCode(error, 'EPERM')) throw error
    }
  }
  await chmod(to, old.mode & 0o7777)
}

async function statIfThere(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Makes the rename itself durable, where the system lets a folder be synced. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, constants.O_RDONLY)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!isErrorCode(error, 'EPERM', 'EACCES', 'EISDIR', 'EINVAL', 'ENOTSUP')) throw error
  }
}

function isErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
