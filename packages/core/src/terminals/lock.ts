/** Lets one caller in at a time, in the order they came. */
export class Lock {
  #last: Promise<void> = Promise.resolve()

  /** Waits for its turn, which lasts until the result is disposed. Rejects with the reason when `signal` aborts. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const before = this.#last
    const turn = Promise.withResolvers<void>()
    this.#last = turn.promise
    try {
      await unlessAborted(before, signal)
    } catch (error) {
      // Those behind still wait for those before.
      void before.then(turn.resolve)
      throw error
    }
    return { [Symbol.dispose]: turn.resolve }
  }
}

async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
