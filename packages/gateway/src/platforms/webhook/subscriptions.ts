import { readFile, stat } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { routesSchema } from './route.ts'
import type { WebhookRoute } from './route.ts'

export type WebhookRoutes = Readonly<Record<string, WebhookRoute>>

/** The routes that were made by command, in upstream's `webhook_subscriptions.json`. Throws where it is not readable. */
export async function readSubscriptions(home: Home): Promise<WebhookRoutes> {
  try {
    return routesSchema.parse(JSON.parse(await readFile(pathOf(home), 'utf8')))
  } catch (error) {
    if (isAbsent(error)) return {}
    throw error
  }
}

/** Changes them, for this user alone to read. Resolves to what `change` returned. */
export async function changeSubscriptions(home: Home, change: (routes: WebhookRoutes) => WebhookRoutes): Promise<void> {
  await withFileLock(pathOf(home), async () => {
    const routes = change(await readSubscriptions(home))
    await writeFileAtomic(pathOf(home), `${JSON.stringify(routes, null, 2)}\n`, { mode: 0o600 })
  })
}

/** Reads them again when the file has changed; one that cannot be read leaves those that were there. */
export function watchSubscriptions(home: Home, log: Logger): () => Promise<WebhookRoutes> {
  let routes: Promise<WebhookRoutes> = Promise.resolve({})
  let seen: string | undefined
  const readAgain = async (before: Promise<WebhookRoutes>): Promise<WebhookRoutes> => {
    try {
      return await readSubscriptions(home)
    } catch (error) {
      log.error({ error: String(error) }, 'webhook_subscriptions.json cannot be read; the routes stay as they were')
      return before
    }
  }
  return async () => {
    const mark = await markOf(home)
    if (mark !== seen) {
      seen = mark
      routes = readAgain(routes)
    }
    // Who asks while they are read waits for them: a route that is not known yet is not one that is not there.
    return routes
  }
}

async function markOf(home: Home): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(pathOf(home))
    return `${mtimeMs} ${size} ${ino}`
  } catch (error) {
    if (isAbsent(error)) return ''
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function pathOf(home: Home): string {
  return home.path('webhook_subscriptions.json')
}
