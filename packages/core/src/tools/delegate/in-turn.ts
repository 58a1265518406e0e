import type { Decide } from '../../agent/decision.ts'

/** Asks one question at a time, in the order in which they came; a person sees one prompt after the other. */
export function inTurn(decide: Decide): Decide {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const asked = last.then(() => {
      signal.throwIfAborted()
      return decide(request, signal)
    })
    last = asked.catch(() => undefined)
    return asked
  }
}
