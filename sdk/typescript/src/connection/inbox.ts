/** A wait took longer than it may. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** What has come and is not taken yet, oldest first, within a bound. */
export interface Inbox<Value> {
  add(value: Value): void
  /** The next one; rejects with `TimeoutError` when none comes in time. */
  take(timeoutMs: number): Promise<Value>
}

/** `most`: what all of them may weigh together; the oldest go first. */
export function createInbox<Value>(most: number, weigh: (value: Value) => number = () => 1): Inbox<Value> {
  const values: Value[] = []
  const takers: ((value: Value) => void)[] = []
  let weight = 0
  return {
    add(value) {
      const taker = takers.shift()
      if (taker) return taker(value)
      values.push(value)
      weight += weigh(value)
      while (weight > most && values.length > 1) weight -= weigh(values.shift() as Value)
    },
    take(timeoutMs) {
      const value = values.shift()
      if (value !== undefined) {
        weight -= weigh(value)
        return Promise.resolve(value)
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          takers.splice(takers.indexOf(taker), 1)
          reject(new TimeoutError(`Nothing came within ${timeoutMs} ms.`))
        }, timeoutMs)
        const taker = (taken: Value) => {
          clearTimeout(timer)
          resolve(taken)
        }
        takers.push(taker)
      })
    },
  }
}
