import { Screen } from './screen.ts'

/** A terminal in memory: what is written to it is drawn on its screen, and keys are typed by the test. */
export class VirtualTerminal {
  readonly screen: Screen
  readonly kittyProtocolActive = false
  #onInput: ((data: string) => void) | undefined
  #onResize: (() => void) | undefined
  #written = ''

  constructor(columns = 80, rows = 24) {
    this.screen = new Screen({ columns, rows })
  }

  get columns(): number {
    return this.screen.columns
  }

  get rows(): number {
    return this.screen.rows
  }

  /** Whether a program has taken it over and not given it back. */
  get isTaken(): boolean {
    return this.#onInput !== undefined
  }

  /** Everything written so far. */
  get written(): string {
    return this.#written
  }

  /** Types keys: each string is what one key sends. */
  type(...keys: readonly string[]): void {
    for (const key of keys) this.#onInput?.(key)
  }

  /** Types a text, a key for each character. */
  typeText(text: string): void {
    this.type(...Array.from(text))
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows)
    this.#onResize?.()
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#onInput = onInput
    this.#onResize = onResize
  }

  stop(): void {
    this.#onInput = undefined
    this.#onResize = undefined
  }

  write(data: string): void {
    this.#written += data
    void this.screen.write(data)
  }

  async drainInput(): Promise<void> {}
  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\u001b[${lines}B` : `\u001b[${-lines}A`)
  }
  hideCursor(): void {
    this.write('\u001b[?25l')
  }
  showCursor(): void {
    this.write('\u001b[?25h')
  }
  clearLine(): void {
    this.write('\u001b[K')
  }
  clearFromCursor(): void {
    this.write('\u001b[J')
  }
  clearScreen(): void {
    this.write('\u001b[2J\u001b[H')
  }
  setTitle(): void {}
  setProgress(): void {}
  setProgramStatus(): void {}
}
