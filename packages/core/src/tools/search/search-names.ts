import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** Most files whose times are compared. */
const maxFiles = 50_000
const statsAtOnce = 64

export interface FoundNames {
  /** Relative to the root, the most recently changed first. */
  readonly files: readonly string[]
  /** Whether there were more than can be compared, or time ran out. */
  readonly isUnfinished: boolean
}

/** The files that are wanted among those listed. When `isOver` says that time is up, those listed so far. */
export async function newestFirst(
  root: string,
  listed: AsyncIterable<string>,
  isWanted: (path: string) => boolean,
  isOver: () => boolean,
): Promise<FoundNames> {
  const found: string[] = []
  let isUnfinished = false
  try {
    for await (const path of listed) {
      if (!isWanted(path)) continue
      found.push(path)
      isUnfinished = found.length >= maxFiles
      if (isUnfinished) break
    }
  } catch (error) {
    if (!isOver()) throw error
    isUnfinished = true
  }
  const dated: { path: string; at: number }[] = []
  for (let first = 0; first < found.length; first += statsAtOnce) {
    const part = found.slice(first, first + statsAtOnce)
    dated.push(...(await Promise.all(part.map(async (path) => ({ path, at: await changedAt(join(root, path)) })))))
  }
  dated.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1))
  return { files: dated.map(({ path }) => path), isUnfinished }
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0
    throw error
  }
}
