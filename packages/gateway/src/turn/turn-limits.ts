import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { Config } from '@hermes/core/config/schema.ts'

/** A turn goes on for at most so many times the silence that ends it, and no less than this, ms. */
const [totalFactor, leastTotalMs] = [10, 7_200_000]

/** Timers take no more, ms; what is longer never comes. */
const maxTimerMs = 2 ** 31 - 1

export interface TurnLimitsOptions {
  readonly settings: Pick<Config['agent'], 'gateway_timeout' | 'gateway_timeout_warning' | 'gateway_notify_interval'>
  /** Says something to the chat while the turn runs. */
  readonly tell: (text: string) => void
}

/** Watches over a turn that may hang. */
export interface TurnLimits {
  /** Aborts when the turn is to end. */
  readonly signal: AbortSignal
  /** Something has happened in the turn. */
  note(event: NumberedEvent): void
  /** Why it was ended, for people; undefined where it was not. */
  readonly ended: string | undefined
  stop(): void
}

/**
 * A turn in which nothing happens is spoken of, and then ended; waiting for the person's answer is not counted. One that
 * takes long says now and then that it still works.
 */
export function watchTurn({ settings, tell }: TurnLimitsOptions): TurnLimits {
  const [endMs, warnMs, tellMs] = [
    settings.gateway_timeout * 1000,
    settings.gateway_timeout_warning * 1000,
    settings.gateway_notify_interval * 1000,
  ]
  const ending = new AbortController()
  const startedAt = performance.now()
  const timers = new Set<NodeJS.Timeout>()
  let [silence, warning]: (NodeJS.Timeout | undefined)[] = []
  let last = 'nothing yet'
  let steps = 0
  let open = 0
  let ended: string | undefined

  const end = (why: string) => {
    ended = `⏱ I stopped, since ${why}. Last: ${last} (step ${steps}). Raise agent.gateway_timeout where work takes longer.`
    ending.abort(new DOMException('The turn takes too long.', 'TimeoutError'))
  }
  const after = (ms: number, run: () => void) => {
    if (ms <= 0) return undefined
    const timer = setTimeout(run, Math.min(ms, maxTimerMs)).unref()
    timers.add(timer)
    return timer
  }
  const hush = () => {
    for (const timer of [silence, warning]) {
      clearTimeout(timer)
      if (timer) timers.delete(timer)
    }
    silence = undefined
    warning = undefined
  }
  const listen = () => {
    if (open > 0) return hush()
    // Each word of an answer comes by here.
    silence?.refresh()
    warning?.refresh()
    if (silence || warning) return
    silence = after(endMs, () => end(`nothing has happened for ${minutes(endMs)}`))
    if (endMs <= 0 || warnMs < endMs) {
      warning = after(warnMs, () => tell(`⚠️ Nothing has happened for ${minutes(warnMs)}. /stop ends it.`))
    }
  }
  if (endMs > 0) {
    const totalMs = Math.max(totalFactor * endMs, leastTotalMs)
    after(totalMs, () => end(`it has taken ${minutes(totalMs)}`))
  }
  const still = (): void => {
    tell(`⏳ Still working (${minutes(performance.now() - startedAt)}, step ${steps}; last: ${last}).`)
    after(tellMs, still)
  }
  after(tellMs, still)
  listen()

  return {
    signal: ending.signal,
    note(event) {
      if (event.type === 'tool-start') last = event.name
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') last = 'the model writes'
      if (event.type === 'answer-end') steps++
      if (event.type === 'decision-request') open++
      if (event.type === 'decision-result') open = Math.max(0, open - 1)
      listen()
    },
    get ended() {
      return ended
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

function minutes(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  return `${Math.round(ms / 60_000)} min`
}
