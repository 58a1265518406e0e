import { createHash } from 'node:crypto'

/** Runs work once for all requests that carry one key. */
export interface IdempotentRuns {
  /**
   * The result of the work with this key and these contents: of a run that is over less than five minutes ago, of one
   * that goes on, or of a new one. The work's own signal aborts when nobody waits for it any more.
   */
  run<T>(key: string, contents: unknown, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
}

interface Entry {
  readonly fingerprint: string
  readonly result: Promise<unknown>
  readonly abort: AbortController
  waiting: number
  isOver: boolean
  /** Of its result, as JSON. */
  chars: number
  /** Ms; set when it is over. */
  expiresAt: number
}

const maxEntries = 1_000
/** Characters of all results that are kept. */
const usualMaxChars = 32_000_000
const keptMs = 300_000

/** `now` in ms. Failures are not kept: the next request tries again. Where results are too long together the oldest go. */
export function createIdempotentRuns(now: () => number, maxChars: number = usualMaxChars): IdempotentRuns {
  const entries = new Map<string, Entry>()

  function prune(): void {
    let kept = entries.values().reduce((sum, { chars }) => sum + chars, 0)
    for (const [oldest, { isOver, expiresAt, chars }] of entries) {
      if (entries.size <= maxEntries && kept <= maxChars && expiresAt > now()) break
      if (isOver) {
        entries.delete(oldest)
        kept -= chars
      }
    }
  }

  function begin(key: string, fingerprint: string, work: (signal: AbortSignal) => Promise<unknown>): Entry {
    const abort = new AbortController()
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    const entry: Entry = {
      fingerprint,
      abort,
      waiting: 0,
      isOver: false,
      chars: 0,
      expiresAt: Number.POSITIVE_INFINITY,
      result: work(abort.signal).then(
        (value) => {
          entry.isOver = true
          entry.expiresAt = now() + keptMs
          entry.chars = JSON.stringify(value)?.length ?? 0
          prune()
          return value
        },
        (error: unknown) => {
          forget()
          throw error
        },
      ),
    }
    entries.delete(key)
    entries.set(key, entry)
    prune()
    return entry
  }

  return {
    async run<T>(key: string, contents: unknown, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
      const fingerprint = createHash('sha256').update(JSON.stringify(contents)).digest('hex')
      const found = entries.get(key)
      const isUsable = found?.fingerprint === fingerprint && found.expiresAt > now() && !found.abort.signal.aborted
      const entry = isUsable ? found : begin(key, fingerprint, work)
      entry.waiting++
      const { promise: left, reject } = Promise.withResolvers<never>()
      const leave = () => reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
      try {
        // The key belongs to one path, whose work has one type of result.
        return (await Promise.race([entry.result, left])) as T
      } finally {
        signal.removeEventListener('abort', leave)
        entry.waiting--
        if (entry.waiting === 0 && !entry.isOver) {
          entry.abort.abort(new DOMException('Nobody waits for this any more.', 'AbortError'))
          entry.result.catch(() => undefined)
        }
      }
    },
  }
}
