import { watch } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'

/** Is written when another process has queued something; nobody reads it. */
const name = 'gateway.wake'

/** Has the home's gateway look at its outbox. */
export async function wakeGateway(home: Home): Promise<void> {
  await writeFile(home.path(name), `${process.pid} ${Date.now()}\n`, { mode: 0o600 })
}

/** Calls `onWake` when another process has queued something, until it is disposed of. Asks nothing of an idle disk. */
export function watchWakes(
  { home, log }: { readonly home: Home; readonly log: Logger },
  onWake: () => void,
): Disposable {
  try {
    const watcher = watch(home.dir, { persistent: false }, (_event, changed) => {
      if (changed === name) onWake()
    })
    watcher.on('error', (error) => log.warn({ error: error.message }, 'messages of other processes are not noticed'))
    return { [Symbol.dispose]: () => watcher.close() }
  } catch (error) {
    // Too many watches, or a file system without them: what is queued goes out with the next message, or start.
    log.warn({ error: String(error) }, 'messages of other processes are not noticed')
    return { [Symbol.dispose]: () => {} }
  }
}
