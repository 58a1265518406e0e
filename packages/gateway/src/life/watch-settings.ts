import { realpathSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'

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
  const watchers: FSWatcher[] = []
  for (const [folder, names] of foldersOf(home)) {
    try {
      // Files that are replaced are seen in their folder alone.
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || !names.has(name)) return
        clearTimeout(timer)
        timer = setTimeout(onChange, settleMs)
      })
      watcher.on('error', (error) => log.warn({ folder, error: error.message }, 'changed settings are not noticed'))
      watchers.push(watcher)
    } catch (error) {
      // Too many watches, or a file system without them: SIGHUP does it as well.
      log.warn({ folder, error: String(error) }, 'changed settings are not noticed')
    }
  }
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
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
