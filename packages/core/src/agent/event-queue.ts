/**
 * Hands values from one producer to one consumer, in order. `push` waits while `limit` values are unread, so a slow
 * reader slows the writer instead of filling memory.
 */
export class EventQueue<T> {
  readonly #limit: number
  readonly #values: T[] = []
  #closed = false
  #failure: { readonly error: unknown } | undefined
  #wakeReader: (() => void) | undefined
  #wakeWriters: (() => void)[] = []

  constructor(limit = 1024) {
    this.#limit = limit
  }

  /** Adds a value; resolves when the reader keeps up. A value pushed after `close` is dropped. */
  push(value: T): Promise<void> | undefined {
    if (this.#closed) return undefined
    this.#values.push(value)
    this.#wakeReader?.()
    if (this.#values.length < this.#limit) return undefined
    return new Promise((resolve) => this.#wakeWriters.push(resolve))
  }

  /** No more values; the reader ends after those it has not read, or throws `failure`. */
  close(failure?: { readonly error: unknown }): void {
    this.#closed = true
    this.#failure = failure
    this.#wakeReader?.()
    this.#release()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      while (true) {
        while (this.#values.length > 0) {
          // The length was just checked, so a value is there.
          const value = this.#values.shift() as T
          if (this.#values.length < this.#limit) this.#release()
          yield value
        }
        if (this.#closed) {
          if (this.#failure) throw this.#failure.error
          return
        }
        await new Promise<void>((resolve) => (this.#wakeReader = resolve))
        this.#wakeReader = undefined
      }
    } finally {
      this.#closed = true
      this.#values.length = 0
      this.#release()
    }
  }

  #release(): void {
    const waiting = this.#wakeWriters
    this.#wakeWriters = []
    for (const wake of waiting) wake()
  }
}
