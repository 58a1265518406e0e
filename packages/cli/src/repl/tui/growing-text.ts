import type { Paint } from '../theme.ts'
import type { Block, Screen } from './screen.ts'
import { TextBlock } from './text-block.ts'

/** From this many characters on, a block ends at the next line break. */
const blockChars = 1000

/** Plain text that grows: the model's reasoning. */
export class GrowingText {
  readonly #screen: Screen
  readonly #paint: Paint
  #gap: boolean
  #block: GrowingBlock | undefined

  constructor(screen: Screen, paint: Paint, { gap }: { readonly gap: boolean }) {
    this.#screen = screen
    this.#paint = paint
    this.#gap = gap
  }

  /** Takes the next piece, cleaned. */
  push(piece: string): void {
    const text = `${this.#block?.text ?? ''}${piece}`
    if (!this.#block && text.trim() === '') return
    const end = text.length > blockChars ? text.lastIndexOf('\n') : -1
    this.#part().setText(end < 0 ? text : text.slice(0, end))
    if (end >= 0) {
      this.end()
      this.push(text.slice(end + 1))
    }
    this.#screen.requestRender()
  }

  end(): void {
    if (this.#block) this.#block.final = true
    this.#block = undefined
  }

  #part(): GrowingBlock {
    if (!this.#block) {
      this.#block = new GrowingBlock(this.#paint, this.#gap)
      this.#gap = false
      this.#screen.append(this.#block)
    }
    return this.#block
  }
}

class GrowingBlock implements Block {
  final = false
  readonly steady = true
  readonly #paint: Paint
  readonly #gap: boolean
  #drawn: TextBlock
  text = ''

  constructor(paint: Paint, gap: boolean) {
    this.#paint = paint
    this.#gap = gap
    this.#drawn = this.#draw()
  }

  setText(text: string): void {
    this.text = text
    this.#drawn = this.#draw()
  }

  render(width: number): readonly string[] {
    return this.#drawn.render(width)
  }

  invalidate(): void {
    this.#drawn.invalidate()
  }

  #draw(): TextBlock {
    return new TextBlock(this.text.trimEnd(), { paint: this.#paint, gap: this.#gap })
  }
}
