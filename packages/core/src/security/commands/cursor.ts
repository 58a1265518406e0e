import { CommandSyntaxError, type Script, type Word } from './syntax.ts'

const maxDepth = 60
/** Most nested things in one command line, those tried in vain included. */
const maxSteps = 20_000

/** A here-document whose text has not come yet. */
export interface PendingHeredoc {
  readonly delimiter: string
  readonly isQuoted: boolean
  /** `<<-` */
  readonly stripTabs: boolean
  /** Given the text when it has come. */
  readonly fill: (text: string) => void
}

/** Where a parser is in a command line. */
export class Cursor {
  readonly text: string
  readonly pending: PendingHeredoc[] = []
  position = 0
  /** Shared by all cursors of one command line. */
  readonly #effort: { depth: number; steps: number }

  /** `outer`: where the text stands, for a text inside another. */
  constructor(text: string, outer?: Cursor) {
    this.text = text
    this.#effort = outer ? outer.#effort : { depth: 0, steps: 0 }
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length
  }

  /** The character `offset` from here; empty past the end. */
  peek(offset = 0): string {
    return this.text.charAt(this.position + offset)
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.position)
  }

  /** Goes past `text` when it is here. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false
    this.position += text.length
    return true
  }

  /** Goes past what `pattern` (sticky) matches here. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.text) ?? undefined
    if (found) this.position = pattern.lastIndex
    return found
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(`expected ${text}`)
  }

  /** Parses something nested. Too deep a nest is an error, and so is too much of it: each costs stack or time. */
  nested<T>(parse: () => T): T {
    const effort = this.#effort
    effort.steps++
    if (effort.depth >= maxDepth || effort.steps > maxSteps) this.fail('nested too deeply')
    effort.depth++
    try {
      return parse()
    } finally {
      effort.depth--
    }
  }

  /** Tries to parse; goes back where that fails. */
  attempt<T>(parse: () => T): T | undefined {
    const { position } = this
    const pending = this.pending.length
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof CommandSyntaxError) || error.isFinal || this.#effort.steps > maxSteps) throw error
      this.position = position
      this.pending.length = pending
      return undefined
    }
  }

  /** Goes past a line end, and the here-documents that begin there. */
  takeNewline(): boolean {
    if (!this.take('\n')) return false
    for (const heredoc of this.pending.splice(0)) heredoc.fill(this.#readHeredoc(heredoc))
    return true
  }

  fail(reason: string): never {
    throw new CommandSyntaxError(`${reason} at character ${this.position}`)
  }

  /** For what shells read in different ways, so that no reading may be chosen. */
  refuse(reason: string): never {
    throw new CommandSyntaxError(`${reason} at character ${this.position}`, { isFinal: true })
  }

  #readHeredoc({ delimiter, stripTabs }: PendingHeredoc): string {
    const lines: string[] = []
    while (!this.isAtEnd) {
      const end = this.text.indexOf('\n', this.position)
      const line = this.text.slice(this.position, end === -1 ? undefined : end)
      this.position = end === -1 ? this.text.length : end + 1
      const content = stripTabs ? line.replace(/^\t+/, '') : line
      if (content === delimiter) break
      lines.push(`${content}\n`)
    }
    return lines.join('')
  }
}

/** What the parser of words needs of the parser of commands. */
export interface ScriptParser {
  /** A script up to `closer`, which is taken. */
  scriptUntil(cursor: Cursor, closer: ')'): Script
  /** A whole text, which stands inside another, as a script. */
  script(text: string, outer?: Cursor): Script
}

export const emptyWord: Word = { parts: [] }
