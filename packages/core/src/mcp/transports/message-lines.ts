/** Largest message that is taken from a server, characters. */
export const maxMessageChars = 16 * 1024 * 1024

/** How much of a message that is too large is kept, to see what it answers. */
const keptChars = 1_000

/** A line of a server's output; of one that is too long only the beginning, and that it is. */
export interface MessageLine {
  readonly text: string
  readonly isCut: boolean
}

/** Parts a stream into lines; never holds more than one message. */
export class MessageLines {
  readonly #maxChars: number
  #pieces: string[] = []
  #length = 0

  constructor(maxChars = maxMessageChars) {
    this.#maxChars = maxChars
  }

  /** The lines that a piece of the stream completes. */
  *add(piece: string): Generator<MessageLine> {
    let from = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      this.#keep(piece.slice(from, end))
      yield this.#take()
      from = end + 1
    }
    this.#keep(piece.slice(from))
  }

  #keep(text: string): void {
    if (text === '') return
    const wasCut = this.#length > this.#maxChars
    this.#length += text.length
    if (wasCut) return
    if (this.#length <= this.#maxChars) this.#pieces.push(text)
    else this.#pieces = [[...this.#pieces, text].join('').slice(0, keptChars)]
  }

  #take(): MessageLine {
    const line = { text: this.#pieces.join('').trim(), isCut: this.#length > this.#maxChars }
    this.#pieces = []
    this.#length = 0
    return line
  }
}
