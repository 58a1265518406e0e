import xterm from '@xterm/headless'
import { within } from './within.ts'

export interface ScreenOptions {
  readonly columns?: number
  readonly rows?: number
  /** Where the terminal's own answers go (cursor position, device attributes …). */
  readonly onReply?: (data: string) => void
}

/** What a person would see: a terminal emulator fed with a program's output. */
export class Screen {
  readonly #terminal: xterm.Terminal
  readonly #watchers = new Set<() => void>()

  constructor({ columns = 80, rows = 24, onReply }: ScreenOptions = {}) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true })
    if (onReply) this.#terminal.onData(onReply)
  }

  get columns(): number {
    return this.#terminal.cols
  }

  get rows(): number {
    return this.#terminal.rows
  }

  /** Cursor, counted from 0, within the visible rows. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active
    return { row: cursorY, column: cursorX }
  }

  /** Takes output. Resolves when it has been drawn. */
  async write(data: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write(data, resolve))
    for (const watcher of this.#watchers) watcher()
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
  }

  /** The visible rows, trailing blanks cut. */
  lines(): readonly string[] {
    const { baseY } = this.#terminal.buffer.active
    return this.#lines(baseY, baseY + this.#terminal.rows)
  }

  /** The visible rows as one text, empty rows at the end cut. */
  text(): string {
    return this.lines().join('\n').trimEnd()
  }

  /** Everything from the oldest row of the scrollback on. */
  history(): string {
    return this.#lines(0, this.#terminal.buffer.active.length).join('\n').trimEnd()
  }

  /** Whether any visible cell has a colour or an attribute (bold, dim, inverse …). */
  isStyled(): boolean {
    const buffer = this.#terminal.buffer.active
    for (let row = buffer.baseY; row < buffer.baseY + this.#terminal.rows; row++) {
      const line = buffer.getLine(row)
      for (let column = 0; column < this.#terminal.cols; column++) {
        if (line?.getCell(column)?.isAttributeDefault() === false) return true
      }
    }
    return false
  }

  /** Waits until what is seen satisfies `wanted`; fails with the screen as it was when the time is over. */
  async waitFor(wanted: string | RegExp | ((text: string) => boolean), timeoutMs = 30_000): Promise<string> {
    const fits = () => matches(this.text(), wanted)
    await within(
      (seen) => {
        const watcher = () => fits() && seen()
        this.#watchers.add(watcher)
        watcher()
        return () => this.#watchers.delete(watcher)
      },
      timeoutMs,
      () => `never saw ${String(wanted)} on this screen:\n${framed(this.lines())}`,
    )
    return this.text()
  }

  #lines(from: number, to: number): readonly string[] {
    const { active } = this.#terminal.buffer
    return Array.from(
      { length: to - from },
      (_, index) =>
        active
          .getLine(from + index)
          ?.translateToString(true)
          .trimEnd() ?? '',
    )
  }
}

function matches(text: string, wanted: string | RegExp | ((text: string) => boolean)): boolean {
  if (typeof wanted === 'string') return text.includes(wanted)
  return wanted instanceof RegExp ? wanted.test(text) : wanted(text)
}

function framed(lines: readonly string[]): string {
  return lines.map((line) => `│${line}`).join('\n')
}
