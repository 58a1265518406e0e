import type { Logger } from '../log/logger.ts'

/** Things that go on while nobody waits for them. */
export interface BackgroundWork extends AsyncDisposable {
  /** Whether any goes on. */
  isRunning(): boolean
  /** Begins one, unless one of the same name goes on. Its signal aborts when this is disposed of; what it throws is logged. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void
}

/** Disposing aborts what goes on and waits until it has ended. */
export function createBackgroundWork(log: Logger): BackgroundWork {
  // Most sessions never have any.
  let stop: AbortController | undefined
  let isStopped = false
  const running = new Map<string, Promise<void>>()
  return {
    isRunning: () => running.size > 0,
    run(name, work) {
      if (isStopped || running.has(name)) return
      stop ??= new AbortController()
      const ended = work(stop.signal)
        .catch((error: unknown) => {
          if (!isStopped) log.debug({ work: name, error: String(error) }, 'background work failed')
        })
        .finally(() => running.delete(name))
      running.set(name, ended)
    },
    async [Symbol.asyncDispose]() {
      isStopped = true
      stop?.abort(new DOMException('The session was closed.', 'AbortError'))
      await Promise.all(running.values())
    },
  }
}
