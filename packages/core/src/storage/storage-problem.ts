import { randomBytes } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What SQLite may want for one commit, bytes. */
const tryBytes = 256 * 1024

/**
 * Why nothing can be stored in a folder now, for people; undefined where something can, or where there is no such folder.
 * It is tried: what a disk says of its room is not what this user may take of it.
 */
export async function storageProblem(folder: string, write = writeAndForget): Promise<string | undefined> {
  try {
    await write(join(folder, `.room-${randomBytes(6).toString('hex')}.tmp`))
    return undefined
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || error.code === 'ENOENT') return undefined
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') {
      return `no room is left in ${folder} (${error.code}); free some disk space`
    }
    return `${folder} cannot be written (${String(error.code)}); check its disk, owner and permissions`
  }
}

/** Its name is gone before it has anything in it, so that nothing stays of it in any case. */
async function writeAndForget(path: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await unlink(path)
  await file.writeFile(Buffer.alloc(tryBytes))
}
