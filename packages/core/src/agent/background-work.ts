import type { Logger } from '../log/logger.ts'

/** Things that go on while nobody waits for them. */
export interface BackgroundWork extends AsyncDisposable {
  /** How many are going on. */
  readonly running: number
  /** Begins one, unless one of the same name goes on. Its signal aborts when this is disposed of; what it throws is logged. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void
}

/** Disposing aborts what goes on and waits until it has ended. */
export function createBackgroundWork(log: Logger): BackgroundWork {
  const stop = new AbortController()
  const running = new Map<string, Promise<void>>()
  return {
    get running() {
      return running.size
    },
    run(name, work) {
      if (stop.signal.aborted || running.has(name)) return
      const ended = work(stop.signal)
        .catch((error: unknown) => {
          if (!stop.signal.aborted) log.debug({ work: name, error: String(error) }, 'background work failed')
        })
        .finally(() => running.delete(name))
      running.set(name, ended)
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new DOMException('The session was closed.', 'AbortError'))
      await Promise.all(running.values())
    },
  }
}
