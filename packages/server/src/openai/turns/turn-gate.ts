/** Lets turns begin. */
export interface TurnGate {
  /** Undefined: at once. */
  enter(): Promise<void> | undefined
}

/**
 * Lets a few turns begin in each round of the event loop, in the order in which they came: what has begun goes on first.
 * Where more come at once than the process can serve, those that wait hold little, while each that has begun holds its
 * prompt, its request and its answer; a process that is not busy lets everything begin at once.
 */
export function createTurnGate(perRound: number): TurnGate {
  const waiting: (() => void)[] = []
  let room = perRound
  const nextRound = () => {
    room = perRound
    while (room > 0 && waiting.length > 0) {
      room--
      waiting.shift()?.()
    }
    if (room < perRound) setImmediate(nextRound)
  }
  return {
    enter() {
      if (room === 0) return new Promise((resolve) => waiting.push(resolve))
      if (room === perRound) setImmediate(nextRound)
      room--
      return undefined
    },
  }
}
