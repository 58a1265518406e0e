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
      .flatMap((line) => wrapTextWithAnsi(line, width - indent))
      .map((line, index) => `${index === 0 ? prefix : ' '.repeat(indent)}${paint(line)}`)
    return gap ? ['', ...lines] : lines
  }
}
