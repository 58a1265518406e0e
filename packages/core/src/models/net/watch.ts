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

export function watch(limits: TimeLimits, host: string, end: (reason: TransportError) => void): Watch {
  let reason: TransportError | undefined
  const after = (ms: number, message: () => string): NodeJS.Timeout =>
    setTimeout(() => {
      reason = new TransportError('timeout', message())
      stop()
      end(reason)
    }, ms)
  const connecting = after(limits.connectMs, () => `No connection to ${host} within ${seconds(limits.connectMs)}`)
  const silence = after(limits.silenceMs, () => `${host} sent nothing for ${seconds(limits.silenceMs)}`)
  const progress = after(limits.progressMs, () => `${host} sent only signs of life for ${seconds(limits.progressMs)}`)
  const total = after(limits.totalMs, () => `${host} did not finish within ${seconds(limits.totalMs)}`)
  const stop = (): void => {
    for (const timer of [connecting, silence, progress, total]) clearTimeout(timer)
  }
  return {
    connected: () => clearTimeout(connecting),
    bytes: () => void silence.refresh(),
    progress: () => void progress.refresh(),
    reason: () => reason,
    stop,
  }
}

function seconds(ms: number): string {
  return `${ms < 1000 ? ms / 1000 : Math.round(ms / 1000)} s`
}
