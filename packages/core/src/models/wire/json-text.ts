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
  // What was written before stands between texts, and is the larger part of most requests.
  const pieces: (string | Buffer)[] = []
  let text = '{'
  let isFirst = true
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`
    isFirst = false
    if (value instanceof WrittenOnce) {
      pieces.push(text, value.bytes)
      text = ''
    } else text += wholeText(value)
  }
  pieces.push(`${text}}`)
  return joined(pieces)
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
