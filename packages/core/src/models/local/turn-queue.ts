import { ModelError } from '../model-error.ts'

/** Lets one call after the other have the model. */
export interface TurnQueue {
  /** Waits for the turn; resolves to what ends it. Throws the signal's reason, or `overloaded` when too many wait. */
  enter(signal: AbortSignal): Promise<() => void>
  readonly isIdle: boolean
}

interface Waiting {
  readonly start: () => void
}

/** `onIdle` is told when nobody has the model and nobody waits. */
export function createTurnQueue({ most, onIdle }: { readonly most: number; readonly onIdle: () => void }): TurnQueue {
  const waiting: Waiting[] = []
  let isTaken = false
  const leave = (): void => {
    const next = waiting.shift()
    if (next) return next.start()
    isTaken = false
    onIdle()
  }
  const once = (): (() => void) => {
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      leave()
    }
  }
  return {
    get isIdle() {
      return !isTaken
    },
    enter: async (signal) => {
      signal.throwIfAborted()
      if (!isTaken) {
        isTaken = true
        return once()
      }
      if (waiting.length >= most) {
        const message = `The model on this machine is busy: ${most} calls already wait for it. Try again later.`
        throw new ModelError('overloaded', message)
      }
      return new Promise((resolve, reject) => {
        const start = (): void => {
          signal.removeEventListener('abort', onAbort)
          resolve(once())
        }
        const entry = { start }
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(entry), 1)
          reject(signal.reason)
        }
        waiting.push(entry)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
