import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'

/** Waits between two tries, ms. */
const firstMs = 500
const maxMs = 30_000

/** Tries again until it succeeds: the service does not give a message twice. Rejects only when `signal` aborts. */
export async function persist<T>(run: () => Promise<T>, log: Logger, signal: AbortSignal): Promise<T> {
  for (let pause = firstMs; ; pause = Math.min(maxMs, pause * 2)) {
    signal.throwIfAborted()
    try {
      return await run()
    } catch (error) {
      signal.throwIfAborted()
      log.error({ error: String(error) }, 'a message of Discord could not be taken over; it is tried again')
      await wait(pause, undefined, { signal })
    }
  }
}
