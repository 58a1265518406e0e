import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { ChatRef } from '../messages/outbound-message.ts'

const mirror = lazily(() => z.object({ from: z.string(), to: z.string() }))

/** What is said in one place is shown in another one, too; both as `platform:chat[:thread]`. */
export type Mirror = z.infer<ReturnType<typeof mirror>>

const file = lazily(() => z.looseObject({ mirrors: z.array(mirror()).default([]) }))

/** Most that a home may have. */
const maxMirrors = 100

/** The place of a chat, as mirrors name it. */
export function placeOf({ platform, chatId, threadId }: ChatRef): string {
  return [platform, chatId, ...(threadId === undefined ? [] : [threadId])].join(':')
}

export async function readMirrors(home: Home): Promise<readonly Mirror[]> {
  try {
    return file().safeParse(JSON.parse(await readFile(mirrorsPath(home), 'utf8'))).data?.mirrors ?? []
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return []
    throw error
  }
}

/** Changes them, one change after the other. Resolves to those that there are then. Throws what `change` does. */
export function changeMirrors(
  home: Home,
  change: (mirrors: readonly Mirror[]) => readonly Mirror[],
): Promise<readonly Mirror[]> {
  return withFileLock(mirrorsPath(home), async () => {
    const mirrors = change(await readMirrors(home)).slice(0, maxMirrors)
    await writeFileAtomic(mirrorsPath(home), JSON.stringify({ mirrors }, null, 2), { mode: 0o600 })
    return mirrors
  })
}

/** The file that they are in. */
export function mirrorsPath(home: Home): string {
  return home.path('gateway_mirrors.json')
}
