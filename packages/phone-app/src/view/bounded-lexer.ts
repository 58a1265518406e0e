import { Lexer } from 'marked'
import type { Token } from 'marked'

// The lexer's time grows with the square of the marks in a paragraph and with the cube of some nestings, and it calls
// itself for each level: a few thousand asterisks, which any web page that the agent has read may bring into an answer,
// would hold up the page for minutes, and again after each reload.

/** Longest text whose marks are looked for, UTF-16 units. */
const maxChars = 100_000

/** Most that the squares of the marks of all its paragraphs may come to: about a tenth of a second of a phone. */
const maxEffort = 100_000

/** What the lexer looks for the other end of. */
const marks = /[*_~`[\]!]/g

/** White space that it looks through again from each of its places. */
const longSpace = /[ \t]{200}/

/** Quotes and lists within each other, on one line. */
const deepLine = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){30}/m

/** Markdown as tokens, in a time that no text can stretch: what would take long is plain text. */
export function lexed(text: string): readonly Token[] {
  if (text.length > maxChars || deepLine.test(text)) return [plain(text)]
  return new BoundedLexer({ gfm: true, breaks: true }).lex(text)
}

class BoundedLexer extends Lexer {
  #left = maxEffort

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const count = text.match(marks)?.length ?? 0
    this.#left -= count * count
    if (this.#left >= 0 && !longSpace.test(text)) return super.inlineTokens(text, tokens)
    tokens.push(plain(text))
    return tokens
  }
}

function plain(text: string): Token {
  return { type: 'text', raw: text, text, escaped: false }
}
