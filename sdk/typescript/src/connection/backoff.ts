/** How long to wait between two tries to connect. */
export interface Backoff {
  /** First wait, ms. Default 500. */
  readonly initialMs?: number
  /** Longest wait, ms. Default 30,000. */
  readonly maxMs?: number
}

/** Doubles with every failure up to its most; a random half of it spreads devices that lost the same server. */
export function backoffMs(
  failures: number,
  { initialMs = 500, maxMs = 30_000 }: Backoff,
  random = Math.random,
): number {
  const most = Math.min(maxMs, initialMs * 2 ** Math.min(failures, 30))
  return most / 2 + (random() * most) / 2
}

/** Resolves after so long, at once when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
