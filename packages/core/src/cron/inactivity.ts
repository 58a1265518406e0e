const usualSeconds = 600

/** Aborts its signal when nothing has happened for a while. */
export class InactivityTimer implements Disposable {
  /** 0: never. */
  readonly seconds: number
  readonly #abort = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined

  /** `setting`: seconds as text; ten minutes where it is none. */
  constructor(setting: string | undefined) {
    const given = Number(setting?.trim() || usualSeconds)
    this.seconds = Number.isFinite(given) && given >= 0 && given < 2_000_000 ? given : usualSeconds
    if (this.seconds === 0) return
    this.#timer = setTimeout(
      () => this.#abort.abort(new DOMException('Nothing happened for too long.', 'TimeoutError')),
      this.seconds * 1000,
    )
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Something has happened. */
  reset(): void {
    this.#timer?.refresh()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
