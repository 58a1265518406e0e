const firstMs = 1_000
const mostMs = 60_000

/** When a server that does not come up is tried again: after a second, then twice as long each time, up to a minute. */
export class Backoff {
  readonly #now: () => number
  #failures = 0
  #nextAt = 0

  /** `now`: monotonic ms. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** How long to leave it alone yet, ms; 0: try now. */
  waitMs(): number {
    return Math.max(0, this.#nextAt - this.#now())
  }

  failed(): void {
    this.#nextAt = this.#now() + Math.min(firstMs * 2 ** this.#failures, mostMs)
    this.#failures += 1
  }

  succeeded(): void {
    this.#failures = 0
    this.#nextAt = 0
  }
}
