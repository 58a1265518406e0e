import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'

/** Newest threads that are remembered, as upstream does. */
const maxThreads = 500

/** Threads that the agent takes part in, where it need not be named: upstream's `discord_threads.json`. */
export interface JoinedThreads {
  has(threadId: string): boolean
  add(threadId: string): Promise<void>
}

export async function openJoinedThreads(home: Home): Promise<JoinedThreads> {
  const path = home.path('discord_threads.json')
  const threads = new Set(await read(path))
  let writing: Promise<void> = Promise.resolve()
  return {
    has: (threadId) => threads.has(threadId),
    add(threadId) {
      if (threads.has(threadId)) return writing
      threads.add(threadId)
      for (const oldest of threads) {
        if (threads.size <= maxThreads) break
        threads.delete(oldest)
      }
      const text = JSON.stringify([...threads])
      writing = writing.catch(() => undefined).then(() => writeFileAtomic(path, text, { mode: 0o600 }))
      return writing
    },
  }
}

async function read(path: string): Promise<readonly string[]> {
  try {
    return z.array(z.coerce.string()).safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? []
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return []
    throw error
  }
}
