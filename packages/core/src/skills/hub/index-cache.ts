import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Home } from '../../config/home.ts'
import { ensureHubFolder, hubPath } from '../store/hub-folder.ts'
import { readJsonFile, writeJsonFile } from '../store/json-file.ts'
import { HubError } from './hub-error.ts'

/** Keeps what services answered, in `skills/.hub/index-cache`. */
export interface IndexCache {
  /**
   * The value of `load`, or the one kept for less than `maxAgeMs`. When the service cannot be reached or takes no more
   * requests, an older one is better than none: `onStale` is told.
   */
  get<T>(key: string, options: CacheOptions<T>): Promise<T>
}

export interface CacheOptions<T> {
  readonly maxAgeMs: number
  readonly schema: z.ZodType<T>
  readonly load: () => Promise<T>
}

export const hourMs = 3_600_000

const staleMs = 30 * 24 * hourMs
const maxFiles = 100

export function createIndexCache(home: Home, now: () => number, onStale: (message: string) => void): IndexCache {
  const folder = hubPath(home, 'index-cache')
  return {
    async get(key, { maxAgeMs, schema, load }) {
      const name = `${key.replaceAll(/[^\w.-]/g, '_').slice(0, 60)}-${createHash('sha256').update(key).digest('hex').slice(0, 12)}.json`
      const path = join(folder, name)
      const kept = await readJsonFile(path, z.object({ at: z.number(), value: z.unknown() }), {
        at: 0,
        value: undefined,
      })
      const value = schema.safeParse(kept.value)
      const ageMs = now() - kept.at
      if (value.success && ageMs >= 0 && ageMs < maxAgeMs) return value.data
      try {
        const fresh = await load()
        await ensureHubFolder(home, 'index-cache')
        await writeJsonFile(path, { at: now(), value: fresh })
        await dropOldest(folder)
        return fresh
      } catch (error) {
        const isPassing = error instanceof HubError && (error.code === 'offline' || error.code === 'rate-limited')
        if (!isPassing || !value.success || ageMs > staleMs) throw error
        onStale(`${error.message} Shown is what was known ${Math.max(1, Math.round(ageMs / hourMs))} h ago.`)
        return value.data
      }
    },
  }
}

/** Names end in a hash, so any order serves to keep the number small. */
async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  for (const name of names.slice(maxFiles)) await rm(join(folder, name), { force: true })
}
