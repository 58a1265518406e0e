import { Markdown } from '@earendil-works/pi-tui/dist/components/markdown.js'
import { setCapabilities } from '@earendil-works/pi-tui/dist/terminal-image.js'
import type { Theme } from '../theme.ts'
import { closedLength, endsInTable } from './answer-split.ts'
import { markdownTheme } from './markdown-theme.ts'
import type { Block, Screen } from './screen.ts'

/** Markdown that may still grow. */
class MarkdownBlock implements Block {
  final = false
  steady = true
  readonly #markdown: Markdown
  readonly #gap: boolean
  #drawn: { readonly from: readonly string[]; readonly lines: readonly string[] } | undefined

  constructor(text: string, theme: Theme, gap: boolean) {
    this.#markdown = new Markdown(text, 0, 0, markdownTheme(theme))
    this.#gap = gap
  }

  setText(text: string): void {
    this.#markdown.setText(text)
    this.steady = !endsInTable(text)
  }

  render(width: number): readonly string[] {
    const from = this.#markdown.render(width)
    if (this.#drawn?.from !== from) {
      // Its lines are padded to the width, which would wrap when the terminal gets narrower.
      const lines = from.map((line) => line.trimEnd())
      this.#drawn = { from, lines: this.#gap ? ['', ...lines] : lines }
    }
    return this.#drawn.lines
  }

  invalidate(): void {
    this.#markdown.invalidate()
  }
}

/** Draws one answer as it comes: the parts that are closed once and for all, the last part anew with every piece. */
export class AnswerStream {
  readonly #screen: Screen
  readonly #theme: Theme
  readonly #gap: boolean
  readonly #blocks: MarkdownBlock[] = []
  #tail: MarkdownBlock | undefined
  #text = ''

  constructor(screen: Screen, theme: Theme, { gap }: { readonly gap: boolean }) {
    // Its links show their addresses, and the library need not look for what else the terminal can do.
    setCapabilities({ images: null, trueColor: theme.level === 'truecolor', hyperlinks: false })
    this.#screen = screen
    this.#theme = theme
    this.#gap = gap
  }

  /** Takes the next piece, cleaned. */
  push(piece: string): void {
    this.#text += piece
    if (this.#text.trim() === '') return
    // A block closes where a line begins, so the line's first characters decide.
    const closed = closedLength(this.#text)
    if (closed > 0) {
      this.#part().setText(this.#text.slice(0, closed))
      this.#close()
      this.#text = this.#text.slice(closed)
    }
    this.#part().setText(this.#text)
    this.#screen.requestRender()
  }

  /** No more comes. */
  end(): void {
    this.#close()
    this.#screen.requestRender()
  }

  /** Takes all of it out again; false when a part has left the screen and stays. */
  remove(): boolean {
    this.#close()
    // From the end, so that what stays is the beginning.
    return this.#blocks.toReversed().every((block) => this.#screen.remove(block))
  }

  #part(): MarkdownBlock {
    if (!this.#tail) {
      this.#tail = new MarkdownBlock('', this.#theme, this.#gap && this.#blocks.length === 0)
      this.#blocks.push(this.#tail)
      this.#screen.append(this.#tail)
    }
    return this.#tail
  }

  #close(): void {
    if (this.#tail) this.#tail.final = true
    this.#tail = undefined
  }
}
