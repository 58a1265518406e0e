import type { AgentContext } from '../agent/context.ts'
import type { BrowserSession } from './browser-session.ts'

export type SessionBrowserOptions = Pick<AgentContext, 'home' | 'config' | 'environment' | 'log' | 'clock'>

/** The browser of one session: opened when it is first used, closed when it was not used for a while. */
export interface SessionBrowser extends AsyncDisposable {
  /** The address of a running browser that is used in place of the configured way. Takes effect when it is next opened. */
  cdpUrl: string | undefined
  isOpen(): boolean
  /** Uses it, one at a time. What `work` throws passes; when `signal` aborts, its reason is thrown. */
  use<Result>(work: (browser: BrowserSession) => Promise<Result>, signal: AbortSignal): Promise<Result>
  /** Ends it; the next use opens another. */
  close(): Promise<void>
}

/** Makes it; nothing is opened. */
export function createSessionBrowser(options: SessionBrowserOptions): SessionBrowser {
  const { config, log } = options
  const idleMs = () => (config.browser.inactivity_timeout || 0) * 1000
  let current: BrowserSession | undefined
  let opening: AbortController | undefined
  let tail: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isDisposed = false

  async function opened(signal: AbortSignal): Promise<BrowserSession> {
    if (current?.isOpen) return current
    // One that has ended by itself leaves a folder.
    await close()
    opening = new AbortController()
    const stop = AbortSignal.any([signal, opening.signal])
    const { openSession } = await import('./open-session.ts')
    const session = await openSession({ ...options, cdpUrl: own.cdpUrl }, stop)
    if (isDisposed || stop.aborted) {
      await session[Symbol.asyncDispose]()
      stop.throwIfAborted()
    }
    current = session
    return session
  }

  /** The browser is told to end before the first `await`. */
  async function close(): Promise<void> {
    clearTimeout(timer)
    opening?.abort(new Error('The session was closed.'))
    opening = undefined
    const session = current
    current = undefined
    await session?.[Symbol.asyncDispose]()
  }

  function startIdle(): void {
    if (!current || idleMs() === 0) return
    timer = setTimeout(() => {
      log.debug({}, 'the browser is closed: it was not used')
      close().catch((error: unknown) => log.warn({ error: String(error) }, 'the browser was not closed in order'))
    }, idleMs()).unref()
  }

  const own: SessionBrowser = {
    cdpUrl: undefined,
    isOpen: () => current?.isOpen === true,
    async use(work, signal) {
      const before = tail
      const turn = Promise.withResolvers<void>()
      tail = turn.promise
      await before
      try {
        signal.throwIfAborted()
        clearTimeout(timer)
        return await work(await opened(signal))
      } finally {
        startIdle()
        turn.resolve()
      }
    },
    close,
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await close()
    },
  }
  return own
}
