import type { Logger } from '../../log/logger.ts'
import { MemoryProviderError } from '../memory-provider-error.ts'

/**
 * What waits to be sent to a service, in order. What could not be delivered because the service did not answer stays
 * and goes with the next; what the service refused is given up.
 */
export interface Outbox<Item extends object> {
  add(...items: readonly Item[]): void
  readonly size: number
  /** Sends all that waits, one flush at a time. Throws what sending throws. */
  flush(signal: AbortSignal): Promise<void>
}

export interface OutboxOptions<Item extends object> {
  /** Most items of one sending. */
  readonly batchSize: number
  readonly send: (items: readonly Item[], signal: AbortSignal) => Promise<void>
  /** Most items that wait; the oldest are dropped. Default 500. */
  readonly limit?: number
  readonly log: Logger
}

export function createOutbox<Item extends object>({
  batchSize,
  send,
  limit = 500,
  log,
}: OutboxOptions<Item>): Outbox<Item> {
  let waiting: readonly Item[] = []
  let flushing: Promise<void> = Promise.resolve()

  const remove = (batch: readonly Item[]) => {
    const gone = new Set(batch)
    waiting = waiting.filter((item) => !gone.has(item))
  }

  async function sendAll(signal: AbortSignal): Promise<void> {
    while (waiting.length > 0) {
      signal.throwIfAborted()
      const batch = waiting.slice(0, batchSize)
      try {
        await send(batch, signal)
      } catch (error) {
        if (isFinal(error)) remove(batch)
        throw error
      }
      remove(batch)
    }
  }

  return {
    add(...items) {
      const all = [...waiting, ...items]
      if (all.length > limit) log.warn({ dropped: all.length - limit }, 'too much waits to be remembered; dropped')
      waiting = all.slice(-limit)
    },
    get size() {
      return waiting.length
    },
    async flush(signal) {
      // A flush that failed says so to its own caller; the next one tries anew.
      const own = flushing.then(
        () => sendAll(signal),
        () => sendAll(signal),
      )
      flushing = own
      await own
    },
  }
}

/** Whether sending the same again would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof MemoryProviderError && error.code === 'refused' && error.status !== 429
}
