/** A part of requests that never changes: what it is on the wire is made once. */
export class WrittenOnce {
  readonly #value: unknown
  #bytes: Buffer | undefined

  constructor(value: unknown) {
    this.#value = value
  }

  /** Its JSON. */
  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(wholeText(this.#value)))
  }

  toJSON(): unknown {
    return this.#value
  }
}

/** The JSON of a request's body as bytes, in the order of its fields; those of undefined are left out. */
export function jsonBytes(body: Readonly<Record<string, unknown>>): Buffer {
  const pieces: (string | Buffer)[] = []
  let before = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    addText(pieces, `${before}${JSON.stringify(name)}:`)
    addValue(pieces, value)
    before = ','
  }
  addText(pieces, before === '{' ? '{}' : '}')
  return joined(pieces)
}

/** What was written before stands between texts, and is the larger part of most requests. */
function addValue(pieces: (string | Buffer)[], value: unknown): void {
  if (value instanceof WrittenOnce) pieces.push(value.bytes)
  else if (Array.isArray(value) && value.some((item) => item instanceof WrittenOnce)) {
    for (const [at, item] of value.entries()) {
      addText(pieces, at === 0 ? '[' : ',')
      addValue(pieces, item)
    }
    addText(pieces, ']')
  } else addText(pieces, wholeText(value))
}

function addText(pieces: (string | Buffer)[], text: string): void {
  const last = pieces.at(-1)
  if (typeof last === 'string') pieces[pieces.length - 1] = last + text
  else pieces.push(text)
}

function joined(pieces: readonly (string | Buffer)[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const piece of pieces) at += typeof piece === 'string' ? bytes.write(piece, at) : piece.copy(bytes, at)
  return bytes
}

/**
 * JSON that every server can read: half a character, which a model or a tool may have come up with, is no text to most
 * of them, and a conversation with one would be refused for ever.
 */
function wholeText(value: unknown): string {
  const json = JSON.stringify(value)
  // The search for the beginning is quicker than the pattern.
  if (!json.includes('\\ud') || !halfCharacter.test(json)) return json
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? each.toWellFormed() : each))
}

/** Perhaps; `JSON.stringify` writes whole ones as they are. */
const halfCharacter = /\\ud[89a-f]/
