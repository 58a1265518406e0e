import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { watchFiles } from './watch-files.ts'

/** The files that people's settings are in. */
const files = ['config.yaml', '.env', 'gateway.json']

/** An editor's several steps are one change, ms. */
const settleMs = 250

/** Calls `onChange` after the files with the settings have changed, until it is disposed of. Asks nothing of an idle disk. */
export function watchSettings(
  { home, log }: { readonly home: Home; readonly log: Logger },
  onChange: () => void,
): Disposable {
  let timer: NodeJS.Timeout | undefined
  const watchers: Disposable[] = []
  const onError = (folder: string, error: unknown) =>
    log.warn({ folder, error: String(error) }, 'changed settings are not noticed')
  const onFile = () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, settleMs)
  }
  for (const [folder, names] of foldersOf(home)) {
    try {
      watchers.push(watchFiles({ folder, names, onChange: onFile, onError: (error) => onError(folder, error) }))
    } catch (error) {
      // Too many watches, or a file system without them: SIGHUP does it as well.
      onError(folder, error)
    }
  }
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      for (const watcher of watchers) watcher[Symbol.dispose]()
    },
  }
}

/** Where the files are, and where those are that they are links to: names by folder. */
function foldersOf(home: Home): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>([[home.dir, new Set(files)]])
  for (const name of files) {
    try {
      const target = realpathSync(home.path(name))
      const names = folders.get(dirname(target)) ?? new Set()
      folders.set(dirname(target), names.add(basename(target)))
    } catch {
      // It is not there yet.
      continue
    }
  }
  return folders
}
