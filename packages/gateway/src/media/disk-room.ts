import { statfs } from 'node:fs/promises'

/** What stays free beside a file, bytes: where the disk is full nothing can be said or stored any more. */
export const spareBytes = 64 * 1024 * 1024

/** Bytes that this user may still write in a folder; Infinity where that cannot be told. */
export async function freeBytes(folder: string): Promise<number> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder)
    return blocks === 0 ? Infinity : bavail * bsize
  } catch {
    // A disk that cannot even be asked has another problem.
    return Infinity
  }
}

/** Whether a write has failed since there is no room: on the disk, or for this user. */
export function isNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
