import { constants } from 'node:fs'
import { chmod, copyFile, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Older backups of one file beyond these are removed. */
const kept = 10

/**
 * Copies a file beside itself before it is replaced; resolves to the copy's path, or undefined when there is no file.
 * The copy is named by when the file was last changed, so that one state of it is kept once. It is 0600.
 */
export async function backupFile(path: string): Promise<string | undefined> {
  const modified = await stat(path).then(
    ({ mtime }) => mtime,
    () => undefined,
  )
  if (!modified) return undefined
  const stamp = modified.toISOString().replace(/[-:]/g, '').replace('T', '-').replace('.', '-').replace('Z', '')
  const copy = `${path}.${stamp}.bak`
  await copyFile(path, copy, constants.COPYFILE_FICLONE)
  await chmod(copy, 0o600)
  await removeOlder(path)
  return copy
}

async function removeOlder(path: string): Promise<void> {
  const names = (await readdir(dirname(path))).filter(
    (name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.bak'),
  )
  for (const name of names.sort().slice(0, -kept)) await rm(join(dirname(path), name), { force: true })
}
