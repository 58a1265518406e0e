import type { Logger } from '../../log/logger.ts'

/**
 * Recall from a service that may be slow: a message waits for it only so long. What comes later is not lost; it is what
 * the next message gets when its own recall is late too.
 */
export interface LateRecall {
  /** What bears on `query`. Throws what the recall throws, or the reason of `signal`. */
  take(query: string, signal: AbortSignal): Promise<string>
  /** What has come late and nobody has got, without asking for anything. */
  takeLate(): string
  /** Ends what still runs. */
  close(): void
}

export interface LateRecallOptions {
  readonly recall: (query: string, signal: AbortSignal) => Promise<string>
  /** Longest that a message waits. */
  readonly patienceMs: number
  readonly log: Logger
}

export function createLateRecall({ recall, patienceMs, log }: LateRecallOptions): LateRecall {
  let late = ''
  let running: AbortController | undefined

  function takeLate(): string {
    const text = late
    late = ''
    return text
  }

  return {
    async take(query, signal) {
      signal.throwIfAborted()
      running?.abort()
      const own = new AbortController()
      running = own
      const found = recall(query, own.signal)
      const settled = await firstOf(found, patienceMs, signal)
      if (settled.type === 'found') {
        late = ''
        if (running === own) running = undefined
        return settled.text
      }
      if (settled.type === 'aborted') {
        own.abort()
        ignore(found, log)
        throw signal.reason
      }
      found.then(
        (text) => {
          if (running === own) late = text
        },
        (error: unknown) => {
          if (running === own) log.debug({ error: String(error) }, 'a late recall failed')
        },
      )
      return takeLate()
    },
    takeLate,
    close() {
      running?.abort()
      running = undefined
      late = ''
    },
  }
}

type Settled = { readonly type: 'found'; readonly text: string } | { readonly type: 'late' | 'aborted' }

async function firstOf(found: Promise<string>, patienceMs: number, signal: AbortSignal): Promise<Settled> {
  const other = Promise.withResolvers<Settled>()
  const timer = setTimeout(() => other.resolve({ type: 'late' }), patienceMs)
  const stop = () => other.resolve({ type: 'aborted' })
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([found.then((text): Settled => ({ type: 'found', text })), other.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

function ignore(found: Promise<string>, log: Logger): void {
  found.catch((error: unknown) => log.debug({ error: String(error) }, 'a recall that nobody waits for failed'))
}
