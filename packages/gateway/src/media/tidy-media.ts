import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import { cacheFolder } from './cache-folder.ts'

/** Files of chats are kept so long, ms. */
const keepMs = 24 * 3_600_000

/** Removes files of chats that are older than a day. Resolves to how many. `now`: ms since 1970. */
export async function tidyMedia(home: Home, now: number): Promise<number> {
  let removed = 0
  for (const name of ['images', 'audio', 'documents'] as const) {
    const folder = await cacheFolder(home, name)
    for (const file of await filesOf(folder)) {
      const path = join(folder, file)
      const stats = await stat(path).catch(() => undefined)
      if (!stats?.isFile() || now - stats.mtimeMs < keepMs) continue
      await unlink(path)
      removed++
    }
  }
  return removed
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
