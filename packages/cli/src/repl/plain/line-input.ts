import { createInterface } from 'node:readline'
import type { Interface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Cli } from '../../command.ts'

/** Lines from standard input: a person's, with a prompt and what Node's line editor offers, or a program's. */
export class LineInput {
  /** Whether a person enters them. */
  readonly isAttended: boolean
  /** Every line entered since this was made. */
  readonly lines: AsyncIterator<string>
  readonly #editor: Interface
  readonly #echo: Echo
  #isClosed = false

  constructor(cli: Cli) {
    this.isAttended = cli.stdin.isTTY === true
    this.#echo = new Echo(cli.stdout.isTTY ? cli.stdout : cli.stderr)
    const output = this.isAttended ? this.#echo : undefined
    this.#editor = createInterface({ input: cli.stdin, output, terminal: this.isAttended })
    this.#editor.once('close', () => (this.#isClosed = true))
    this.lines = this.#editor[Symbol.asyncIterator]()
  }

  /** Shows a prompt, to a person. */
  prompt(text: string): void {
    if (!this.isAttended || this.#isClosed) return
    this.#editor.setPrompt(text)
    this.#editor.prompt()
  }

  /** Whether what is typed from now on is shown. */
  setHidden(hidden: boolean): void {
    this.#echo.isMuted = hidden
  }

  /** Calls `then` at every Ctrl-C. */
  onInterrupt(then: () => void): void {
    this.#editor.on('SIGINT', then)
  }

  /** No more lines come. */
  close(): void {
    this.#editor.close()
  }
}

/** What the line editor writes to. Of a hidden line only its end is passed on. */
class Echo extends Writable {
  isMuted = false
  readonly #target: Writable

  constructor(target: Writable) {
    super({ decodeStrings: false })
    this.#target = target
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    const text = this.isMuted ? chunk.replace(/[^\r\n]/g, '') : chunk
    if (text !== '') this.#target.write(text)
    done()
  }
}
