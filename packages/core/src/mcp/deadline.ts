/** A time limit that does not run while a person is asked. */
export interface Deadline extends Disposable {
  /** Aborts with a `TimeoutError` when the time is over. */
  readonly signal: AbortSignal
  /** Stops the clock; the function that it returns lets it go on. */
  pause(): () => void
}

export function createDeadline(limitMs: number): Deadline {
  const over = new AbortController()
  let leftMs = limitMs
  let pauses = 0
  let startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const run = () => {
    startedAt = performance.now()
    const end = () => over.abort(new DOMException(`no answer within ${limitMs / 1000} s`, 'TimeoutError'))
    timer = setTimeout(end, Math.min(leftMs, 2 ** 31 - 1))
  }
  run()
  return {
    signal: over.signal,
    pause() {
      if (pauses++ === 0) {
        clearTimeout(timer)
        leftMs = Math.max(0, leftMs - (performance.now() - startedAt))
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--pauses === 0) run()
      }
    },
    [Symbol.dispose]() {
      // Nothing that comes later may start it again.
      pauses = Infinity
      clearTimeout(timer)
    },
  }
}
