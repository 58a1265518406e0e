import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../log/logger.ts'
import { DatabaseError } from '../../storage/database-error.ts'
import { type IndexPosition, MessageIndex } from './message-index.ts'

/** So few messages that are not in the index yet are read instead of indexed first. */
const maxUnindexed = 64

/** How long a search waits for the index to catch up; what it has not reached by then is read instead. */
const catchUpMs = 2000

/** After so many steps of catching up the index has many parts. */
const tidyAfterSteps = 20

/**
 * The index, kept up to date as it is used, and the one place that knows what to do when it fails: make it anew, or
 * do without it.
 */
export class FreshIndex {
  readonly #index: MessageIndex
  readonly #log: Logger
  readonly #closing = new AbortController()
  #catchingUp: Promise<void> | undefined
  #isBroken = false

  constructor(index: MessageIndex, log: Logger) {
    this.#index = index
    this.#log = log
  }

  /**
   * Runs `work` with the index and how far it goes, after it was given time to catch up. Undefined when the index
   * cannot be used, or was begun anew while `work` ran, so that it may have proposed too little.
   */
  async use<T>(work: (index: MessageIndex, position: IndexPosition) => Promise<T>): Promise<T | undefined> {
    return this.#guard(async () => {
      const position = await this.#caughtUp()
      const result = await work(this.#index, position)
      return (await this.#index.isStill(position)) ? result : undefined
    })
  }

  /** Takes deleted messages out of the index. What cannot be taken out now only costs room. */
  async forget(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.#guard(() => this.#index.forget(ids))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#catchingUp
    await this.#index.close()
  }

  async #caughtUp(): Promise<IndexPosition> {
    const position = await this.#index.position()
    if (position.lastId - position.indexedTo <= maxUnindexed) return position
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined
    })
    await within(catchUpMs, this.#catchingUp)
    return this.#index.position()
  }

  /** Goes on after the search that began it, a step at a time, until the index is complete or the store is closed. */
  async #catchUp(): Promise<void> {
    await this.#guard(async () => {
      let steps = 0
      while (this.#isOpen && (await this.#index.step(this.#closing.signal))) {
        steps += 1
        await setImmediate()
      }
      await this.#index.dropStale()
      if (steps >= tidyAfterSteps) await this.#tidy()
    })
  }

  async #tidy(): Promise<void> {
    let isMore = await this.#index.tidy('begin', this.#closing.signal)
    while (this.#isOpen && isMore) {
      await setImmediate()
      isMore = await this.#index.tidy('go-on', this.#closing.signal)
    }
  }

  get #isOpen(): boolean {
    return !this.#closing.signal.aborted
  }

  async #guard<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#isBroken) return undefined
    try {
      return await work()
    } catch (error) {
      if (!this.#isOpen) return undefined
      if (!(error instanceof DatabaseError)) throw error
      this.#log.warn({ code: error.code, error: error.message }, 'the search index failed; messages are read instead')
      if (error.code !== 'locked') await this.#reset()
      return undefined
    }
  }

  async #reset(): Promise<void> {
    try {
      await this.#index.reset()
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      this.#isBroken = true
      this.#log.warn({ error: error.message }, 'the search index cannot be made anew; searches will be slower')
    }
  }
}

/** Waits for some work, but not longer than `ms`. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const enough = new AbortController()
  const timer = sleep(ms, undefined, { signal: enough.signal }).catch(() => undefined)
  await Promise.race([work, timer])
  enough.abort()
}
