import { TransportError } from './transport-error.ts'

/** How long an exchange may take, ms. */
export interface TimeLimits {
  /** Until there is a connection. */
  readonly connectMs: number
  /** Between two bytes. */
  readonly silenceMs: number
  /** Between two steps that the caller calls progress; a server that only sends signs of life makes none. */
  readonly progressMs: number
  /** Altogether. */
  readonly totalMs: number
}

/** Watches one exchange and ends it when a limit is passed. */
export interface Watch {
  connected(): void
  bytes(): void
  progress(): void
  /** Why the watch ended the exchange, if it did. */
  reason(): TransportError | undefined
  stop(): void
}

/** Node takes a longer time for none. */
const longestTimerMs = 2 ** 31 - 1

/** One timer for all limits, which looks at them when the nearest may be over: most exchanges pass none. */
export function watch(limits: TimeLimits, host: string, end: (reason: TransportError) => void): Watch {
  let reason: TransportError | undefined
  const from = performance.now()
  const ends = {
    connecting: from + limits.connectMs,
    silence: from + limits.silenceMs,
    progress: from + limits.progressMs,
    total: from + limits.totalMs,
  }
  const messages = {
    connecting: () => `No connection to ${host} within ${seconds(limits.connectMs)}`,
    silence: () => `${host} sent nothing for ${seconds(limits.silenceMs)}`,
    progress: () => `${host} sent only signs of life for ${seconds(limits.progressMs)}`,
    total: () => `${host} did not finish within ${seconds(limits.totalMs)}`,
  }
  const waitMs = (now: number) => {
    const nearest = Math.min(ends.connecting, ends.silence, ends.progress, ends.total)
    return Math.min(Math.ceil(nearest - now), longestTimerMs)
  }
  const look = () => {
    const now = performance.now()
    const over = (['connecting', 'silence', 'progress', 'total'] as const).find((limit) => ends[limit] <= now)
    // A limit that was moved on, or a timer that was early by a fraction.
    if (over === undefined) timer = setTimeout(look, waitMs(now))
    else {
      reason = new TransportError('timeout', messages[over]())
      end(reason)
    }
  }
  let timer = setTimeout(look, waitMs(from))
  return {
    connected: () => void (ends.connecting = Number.POSITIVE_INFINITY),
    bytes: () => void (ends.silence = performance.now() + limits.silenceMs),
    progress: () => void (ends.progress = performance.now() + limits.progressMs),
    reason: () => reason,
    stop: () => clearTimeout(timer),
  }
}

function seconds(ms: number): string {
  return `${ms < 1000 ? ms / 1000 : Math.round(ms / 1000)} s`
}
