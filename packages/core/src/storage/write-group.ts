import { DatabaseError } from './database-error.ts'

interface Waiting {
  readonly fn: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Writes that share a transaction: those that are added before the process next looks for events. */
export class WriteGroup {
  readonly #write: (work: () => readonly unknown[]) => Promise<readonly unknown[]>
  readonly #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  /** `write` runs its work in one transaction, or throws and has changed nothing. */
  constructor(write: (work: () => readonly unknown[]) => Promise<readonly unknown[]>) {
    this.#write = write
  }

  add<T>(fn: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // It resolves to what `fn` returned.
      this.#waiting.push({ fn, resolve: resolve as (result: unknown) => void, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.#running
  }

  /** One group after the other, so that none overtakes another that waits for a lock. */
  async #run(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) await this.#store(this.#waiting.splice(0))
    this.#running = undefined
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#write(() => group.map(({ fn }) => fn()))
      for (const [at, { resolve }] of group.entries()) resolve(results[at])
    } catch (error) {
      // The file cannot be written, whoever wants to; or one of several has thrown, and the others go on without it.
      if (group.length === 1 || error instanceof DatabaseError) for (const { reject } of group) reject(error)
      else for (const one of group) await this.#store([one])
    }
  }
}
