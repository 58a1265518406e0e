import type { Component } from '@earendil-works/pi-tui/dist/tui.js'
import type { Terminal } from '@earendil-works/pi-tui/dist/terminal.js'
import { CURSOR_MARKER, FAKE_CURSOR_END, FAKE_CURSOR_START, TuiBase } from '@earendil-works/pi-tui/dist/tui.js'
import { normalizeTerminalOutput, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'

/** A piece of the transcript. */
export interface Block extends Component {
  /** Whether its lines will not change any more. */
  readonly final: boolean
  /** Whether the lines above its last few stay as they are while it grows. A table's do not. */
  readonly steady: boolean
}

/** Rows kept above the screen, in screens, so that a new size can be drawn. */
const keptScreens = 3

/**
 * Draws a growing transcript and, below it, a footer, on the terminal's main screen. Only rows that changed are
 * written. What scrolled off belongs to the terminal's scrollback and is never touched again: a new size redraws what
 * is on the screen and keeps the scrollback, so that nothing that was there before the program is lost.
 */
export class Screen extends TuiBase {
  override readonly mode = 'regular'
  readonly #footer: Component
  readonly #styled: boolean
  #blocks: Block[] = []
  /** The rows as they are on the terminal. Row numbers count from the first row of the first block kept. */
  #shown: string[] = []
  /** First row that is still on the screen. */
  #top = 0
  /** Lowest row that the cursor has been on: rows below it may not exist yet. */
  #lowest = 0
  #cursor = { row: 0, column: 0 }
  #size = { columns: 0, rows: 0 }
  #redraw: 'no' | 'rewrap' | 'whole' | 'cleared' = 'no'
  #footerHidden = false

  constructor(terminal: Terminal, footer: Component, { styled }: { readonly styled: boolean }) {
    super(terminal, true)
    this.#footer = footer
    this.#styled = styled
  }

  /** Takes the terminal and draws. What was asked to be drawn while it was left would never be otherwise. */
  override start(): void {
    super.start()
    this.renderNow()
  }

  /** Adds to the transcript's end. */
  append(block: Block): void {
    this.#blocks.push(block)
    this.requestRender()
  }

  /** Takes a block out again. False when a part of it has left the screen, where it stays. */
  remove(block: Block): boolean {
    const index = this.#blocks.indexOf(block)
    if (index < 0 || this.#rowOf(index) < this.#top) return false
    this.#blocks.splice(index, 1)
    this.requestRender()
    return true
  }

  /** Whether `block` is the transcript's last. */
  endsWith(block: Block): boolean {
    return this.#blocks.at(-1) === block
  }

  /** Takes over rows that are on the terminal already, the cursor in the last of them. */
  adopt(rows: readonly string[], cursorColumn: number): void {
    this.#size = this.#terminalSize()
    this.#shown = rows.map((row) => this.#finished(row))
    this.#lowest = Math.max(0, rows.length - 1)
    this.#cursor = { row: this.#lowest, column: cursorColumn }
    this.#top = Math.max(0, rows.length - this.#size.rows)
  }

  /** Empties the screen; the scrollback stays. */
  clearScreen(): void {
    this.#blocks = this.#blocks.filter((block) => !block.final)
    this.#redraw = 'cleared'
    this.requestRender()
  }

  /** Draws everything again, for a screen that something else has written on. */
  repaint(): void {
    this.#redraw = 'whole'
    this.requestRender()
  }

  /** Leaves the terminal to others: the footer goes, the cursor stands below the transcript. */
  leave(): void {
    this.#footerHidden = true
    this.renderNow()
    this.stop()
    this.#blocks = this.#blocks.filter((block) => !block.final)
    this.#shown = []
    this.#top = 0
    this.#lowest = 0
    this.#cursor = { row: 0, column: 0 }
    this.#size = { columns: 0, rows: 0 }
    this.#redraw = 'no'
    this.#footerHidden = false
  }

  protected override beforeTerminalStop(): void {
    if (this.#shown.length > 0) this.terminal.write(`${this.#moveTo(this.#shown.length - 1)}\r\n`)
  }

  protected override resetRenderState(): void {
    this.#redraw = 'whole'
  }

  protected override doRender(): void {
    const size = this.#terminalSize()
    const sized = this.#size.columns > 0
    if (sized && this.#redraw === 'no' && (size.columns !== this.#size.columns || size.rows !== this.#size.rows)) {
      this.#redraw = 'rewrap'
    }
    this.#size = size
    const rows = this.#layOut()
    const begin = this.#redraw === 'no' ? '' : this.#startOver(rows)
    const cursor = takeCursor(rows)
    const finished = rows.map((row, index) => (index < this.#top ? row : this.#finished(row)))
    const changes = this.#draw(finished)
    const place = this.#place(cursor)
    const hide = begin || changes ? '\u001b[?25l' : ''
    this.terminal.write(`\u001b[?2026h${hide}${begin}${changes}${place}\u001b[?2026l`)
    this.#shown = finished
    this.#forgetOld()
  }

  /** All rows, the footer last. Rows of a block that is still changing its shape do not leave the screen. */
  #layOut(): string[] {
    const { columns, rows } = this.#size
    const footer = this.#footerHidden ? [] : this.#footer.render(columns)
    const parts = this.#blocks.map((block) => block.render(columns))
    const total = parts.reduce((sum, part) => sum + part.length, footer.length)
    const unsteady = this.#blocks.findIndex((block) => !block.final && !block.steady)
    if (unsteady >= 0) {
      const start = parts.slice(0, unsteady).reduce((sum, part) => sum + part.length, 0)
      const part = parts[unsteady] ?? []
      const hidden = Math.min(part.length - 1, Math.max(this.#top, total - rows) - start)
      if (hidden > 0) parts[unsteady] = part.slice(hidden)
    }
    return [...parts.flat(), ...footer]
  }

  /** Goes to where the drawing begins and clears what is below; sets the rows that are drawn from there on. */
  #startOver(rows: readonly string[]): string {
    const above = this.#redraw === 'rewrap' ? this.#rowsAboveCursor() : this.#size.rows
    const within = this.#top === 0 && above < this.#size.rows - 1
    this.#top = within || this.#redraw === 'cleared' ? 0 : Math.max(0, rows.length - this.#size.rows)
    const begin =
      this.#redraw === 'cleared' ? '\u001b[H\u001b[2J' : within ? `${up(above)}\r\u001b[J` : '\u001b[H\u001b[J'
    this.#redraw = 'no'
    this.#shown = rows.slice(0, this.#top)
    this.#lowest = this.#top
    this.#cursor = { row: this.#top, column: 0 }
    return begin
  }

  /** How many rows of the terminal are between the first row shown and the cursor, after it has rewrapped them. */
  #rowsAboveCursor(): number {
    const { columns } = this.#size
    const above = this.#shown.slice(this.#top, this.#cursor.row)
    const wrapped = above.reduce((sum, row) => sum + Math.max(1, Math.ceil(visibleWidth(row) / columns)), 0)
    return wrapped + Math.floor(this.#cursor.column / columns)
  }

  #draw(rows: readonly string[]): string {
    let output = ''
    for (let row = this.#top; row < rows.length; row++) {
      if (rows[row] !== this.#shown[row]) output += `${this.#moveTo(row)}\r\u001b[2K${rows[row]}`
    }
    if (rows.length < this.#shown.length) output += `${this.#moveTo(Math.max(this.#top, rows.length))}\r\u001b[J`
    this.#top = Math.max(this.#top, this.#lowest - this.#size.rows + 1)
    return output
  }

  /** Puts the cursor where the focused component wants it; hides it where there is none, or it has left the screen. */
  #place(cursor: { readonly row: number; readonly column: number } | undefined): string {
    if (!cursor || cursor.row < this.#top) return '\u001b[?25l'
    const move = this.#moveTo(cursor.row)
    this.#cursor = { ...cursor }
    return `${move}\u001b[${cursor.column + 1}G\u001b[?25h`
  }

  /** Moves the cursor to a row; below the lowest by line breaks, which scroll. */
  #moveTo(row: number): string {
    const reachable = Math.min(row, this.#lowest)
    const distance = reachable - this.#cursor.row
    const breaks = '\r\n'.repeat(row - reachable)
    this.#lowest = Math.max(this.#lowest, row)
    this.#cursor = { row, column: this.#cursor.column }
    return `${distance < 0 ? up(-distance) : down(distance)}${breaks}`
  }

  /** A row as it is written. One that is too wide would wrap and put all below it out of place. */
  #finished(row: string): string {
    const { columns } = this.#size
    const whole = normalizeTerminalOutput(row)
    const text = visibleWidth(whole) > columns ? truncateToWidth(whole, columns, '') : whole
    // oxlint-disable-next-line no-control-regex -- styles are escape sequences
    if (!this.#styled) return text.replace(/\u001b\[[\d;]*m/g, '')
    return text.includes('\u001b') ? `${text}\u001b[0m` : text
  }

  #rowOf(index: number): number {
    return this.#blocks.slice(0, index).reduce((sum, block) => sum + block.render(this.#size.columns).length, 0)
  }

  #forgetOld(): void {
    for (;;) {
      const [first] = this.#blocks
      if (!first?.final) return
      const { length } = first.render(this.#size.columns)
      if (this.#top - length < keptScreens * this.#size.rows) return
      this.#blocks.shift()
      this.#shown.splice(0, length)
      this.#top -= length
      this.#lowest -= length
      this.#cursor = { ...this.#cursor, row: this.#cursor.row - length }
    }
  }

  #terminalSize(): { columns: number; rows: number } {
    return { columns: Math.max(1, this.terminal.columns), rows: Math.max(1, this.terminal.rows) }
  }
}

/** Takes the mark of the cursor out of the rows and says where it was. */
function takeCursor(rows: string[]): { row: number; column: number } | undefined {
  let cursor: { row: number; column: number } | undefined
  for (let row = rows.length - 1; row >= 0; row--) {
    const text = rows[row] ?? ''
    const at = text.indexOf(CURSOR_MARKER)
    if (at < 0 && !text.includes(FAKE_CURSOR_START)) continue
    if (at >= 0 && !cursor) cursor = { row, column: visibleWidth(text.slice(0, at)) }
    rows[row] = text.replaceAll(CURSOR_MARKER, '').replaceAll(FAKE_CURSOR_START, '').replaceAll(FAKE_CURSOR_END, '')
  }
  return cursor
}

function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : ''
}

function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : ''
}
