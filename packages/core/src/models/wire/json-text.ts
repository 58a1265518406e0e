/** A part of requests that never changes: its text is made once. */
export class WrittenOnce {
  readonly #value: unknown
  #text: string | undefined

  constructor(value: unknown) {
    this.#value = value
  }

  get text(): string {
    return (this.#text ??= wholeText(this.#value))
  }

  toJSON(): unknown {
    return this.#value
  }
}

/** The JSON of a request's body, in the order of its fields; those of undefined are left out. */
export function jsonText(body: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${fieldText(value)}`],
  )
  return `{${fields.join(',')}}`
}

function fieldText(value: unknown): string {
  if (!Array.isArray(value) || !(value[0] instanceof WrittenOnce)) return wholeText(value)
  return `[${value.map((one) => (one instanceof WrittenOnce ? one.text : wholeText(one))).join(',')}]`
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
