import { visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui/dist/utils.js'
import type { Paint } from '../theme.ts'
import type { Block } from './screen.ts'

export interface TextBlockOptions {
  /** Style of the text. */
  readonly paint?: Paint
  /** Stands before the first line, styled already; the other lines are indented by its width. */
  readonly prefix?: string
  /** An empty line comes before it. */
  readonly gap?: boolean
}

/** Clean text, wrapped to the width. */
export class TextBlock implements Block {
  readonly final = true
  readonly steady = true
  readonly #text: string
  readonly #options: TextBlockOptions
  #drawn: { readonly width: number; readonly lines: readonly string[] } | undefined

  constructor(text: string, options: TextBlockOptions = {}) {
    this.#text = text
    this.#options = options
  }

  render(width: number): readonly string[] {
    if (this.#drawn?.width !== width) this.#drawn = { width, lines: this.#wrap(width) }
    return this.#drawn.lines
  }

  invalidate(): void {
    this.#drawn = undefined
  }

  #wrap(width: number): readonly string[] {
    const { paint = (text) => text, prefix = '', gap = false } = this.#options
    const indent = Math.min(visibleWidth(prefix), Math.max(0, width - 1))
    const lines = this.#text
      .replaceAll('\t', '    ')
      .split('\n')
      .flatMap((line) => wrapRow(line, width - indent))
      .map((line, index) => `${index === 0 ? prefix : ' '.repeat(indent)}${paint(line)}`)
    return gap ? ['', ...lines] : lines
  }
}

/** Narrowest second column that is worth keeping. */
const leastColumn = 24

/** Wraps one line. A row of a table, such as help's, goes on below its last column, or a little indented where that is narrow. */
function wrapRow(line: string, width: number): readonly string[] {
  const first = /^ +\S.*? {2,}(?=\S)/.exec(line)?.[0]
  if (first === undefined || visibleWidth(line) <= width) return wrapTextWithAnsi(line, width)
  const column = visibleWidth(first)
  if (width - column >= leastColumn) {
    const rest = wrapTextWithAnsi(line.slice(first.length), width - column)
    return rest.map((part, index) => `${index === 0 ? first : ' '.repeat(column)}${part}`)
  }
  if (width < leastColumn) return wrapTextWithAnsi(line, width)
  const [start = ''] = wrapTextWithAnsi(line, width)
  const rest = wrapTextWithAnsi(line.slice(start.length).trimStart(), width - 6)
  return [start, ...rest.map((part) => `      ${part}`)]
}
