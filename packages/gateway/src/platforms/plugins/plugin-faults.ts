import { readdirSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'

export interface PluginFaultOptions {
  /** Of the plugin, without links. */
  readonly folder: string
  readonly home: Home
  readonly log: Logger
}

/**
 * What nobody has caught would end the whole process. While this is not disposed of, what comes from the code of a plugin
 * is a line in the log; all else ends the process as before.
 */
export function watchPluginFaults({ folder, home, log }: PluginFaultOptions): Disposable {
  function take(error: unknown): void {
    if (isFrom(error, folder)) log.error({ error: String(error) }, 'a plugin has not caught its failure')
    else if (!foldersOf(home).some((other) => isFrom(error, other))) fall(error)
  }
  /** As if nobody listened. */
  function fall(error: unknown): void {
    stop()
    setImmediate(() => {
      throw error
    })
  }
  function stop(): void {
    process.off('uncaughtException', take)
    process.off('unhandledRejection', take)
  }
  process.on('uncaughtException', take)
  process.on('unhandledRejection', take)
  return { [Symbol.dispose]: stop }
}

function isFrom(error: unknown, folder: string): boolean {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack.includes(pathToFileURL(folder + sep).href)
}

function foldersOf(home: Home): readonly string[] {
  const root = home.path('plugins')
  return readdirSync(root).flatMap((name) => {
    try {
      return realpathSync(join(root, name))
    } catch {
      // A link to nowhere has no code.
      return []
    }
  })
}
