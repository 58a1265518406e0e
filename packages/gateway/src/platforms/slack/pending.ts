import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'
import type { Envelope } from './socket.ts'

/** Events that are kept at once; more are not acknowledged. */
const maxKept = 1_000

const kept = z.looseObject({ type: z.string(), body: z.unknown() })

/** Events that were acknowledged before all that belongs to them was here, kept on disk until it is. */
export interface PendingEvents {
  /** Rejects where it cannot be kept. */
  keep(key: string, envelope: Envelope): Promise<void>
  drop(key: string): Promise<void>
  /** Those that an earlier process has left. */
  left(): Promise<readonly Envelope[]>
}

export function createPendingEvents(home: Home): PendingEvents {
  const folder = home.path('platforms', 'slack', 'pending')
  const pathOf = (key: string) => join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  const names = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted()
  }
  return {
    async keep(key, { type, body }) {
      if ((await names()).length >= maxKept) throw new Error('too many events wait')
      await writeFileAtomic(pathOf(key), JSON.stringify({ type, body }), { mode: 0o600 })
    },
    drop: (key) => rm(pathOf(key), { force: true }),
    async left() {
      const found: Envelope[] = []
      for (const name of await names()) {
        const path = join(folder, name)
        const parsed = kept.safeParse(parseJson(await readFile(path, 'utf8')))
        // What is no event is of no use to anybody.
        if (parsed.success) found.push(parsed.data)
        else await rm(path, { force: true })
      }
      return found
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
