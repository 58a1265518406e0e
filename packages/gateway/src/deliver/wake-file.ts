import { writeFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { watchFiles } from '../life/watch-files.ts'

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
  const onError = (error: unknown) => log.warn({ error: String(error) }, 'messages of other processes are not noticed')
  try {
    return watchFiles({ folder: home.dir, names: [name], onChange: onWake, onError })
  } catch (error) {
    // Too many watches, or a file system without them: what is queued goes out with the next message, or start.
    onError(error)
    return { [Symbol.dispose]: () => {} }
  }
}
