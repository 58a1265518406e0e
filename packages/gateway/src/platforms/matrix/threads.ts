import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'

/** Threads in which we take part: there nobody has to name us. */
export interface Threads {
  has(threadId: string): boolean
  /** Resolves when it is stored. */
  join(threadId: string): Promise<void>
}

/** Threads that are remembered, newest last. */
const maxThreads = 500

/** Those that `matrix_threads.json` names, as upstream keeps them. */
export async function openThreads(home: Home): Promise<Threads> {
  const path = home.path('matrix_threads.json')
  const known = new Set(await readThreads(path))
  let writing: Promise<void> = Promise.resolve()
  return {
    has: (threadId) => known.has(threadId),
    async join(threadId) {
      if (known.has(threadId)) return
      known.add(threadId)
      const [oldest] = known
      if (known.size > maxThreads && oldest !== undefined) known.delete(oldest)
      const write = writing.then(() => writeFileAtomic(path, JSON.stringify([...known])))
      writing = write.catch(() => undefined)
      await write
    },
  }
}

async function readThreads(path: string): Promise<readonly string[]> {
  try {
    const found = z.array(z.string()).safeParse(JSON.parse(await readFile(path, 'utf8')))
    return found.data?.slice(-maxThreads) ?? []
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return []
    throw error
  }
}
