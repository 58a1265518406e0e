import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Tells whether a folder is there and reached without following a link; each is asked about once. */
export function realFolders(root: string): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  const isReal = (path: string): Promise<boolean> => {
    if (path === '.' || path === '') return Promise.resolve(true)
    const answer = known.get(path) ?? look(path)
    known.set(path, answer)
    return answer
  }
  const look = async (path: string) =>
    (await isReal(dirname(path))) && ((await lstat(join(root, path)).catch(ignoreMissing))?.isDirectory() ?? false)
  return isReal
}

/** For what may have gone meanwhile. */
export function ignoreMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  throw error
}
