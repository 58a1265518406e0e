/** The text of a variable is not accepted. `message` says what is. */
export class VariableError extends Error {
  override readonly name = 'VariableError'
}

/** Reads a variable's text as a setting's value; undefined counts as not set. Throws `VariableError`. */
export type ReadVariable = (text: string) => unknown

/** Any text, the empty one too. */
export const anyText: ReadVariable = (text) => text

/** Text; empty counts as not set. */
export const someText: ReadVariable = (text) => (text.trim() === '' ? undefined : text.trim())

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): ReadVariable {
  return (text) => {
    const trimmed = text.trim()
    if (trimmed === '') return undefined
    const number = /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN
    if (number >= min && number <= max) return number
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
    throw new VariableError(`"${text}" is not accepted; a whole number ${range} is.`)
  }
}

export function positiveNumber(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (/^\+?\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed)
  throw new VariableError(`"${text}" is not accepted; a number of at least 0 is.`)
}

const on = ['true', '1', 'yes', 'on']
const off = ['false', '0', 'no', 'off']

export const onOff: ReadVariable = (text) => {
  const word = text.trim().toLowerCase()
  if (word === '') return undefined
  if (on.includes(word)) return true
  if (off.includes(word)) return false
  throw new VariableError(`"${text}" is not accepted; true or false is.`)
}

/** `value` when the variable is on; not set when it is off. */
export function whenOn(value: unknown): ReadVariable {
  return (text) => (onOff(text) === true ? value : undefined)
}

export function oneOf(...words: readonly string[]): ReadVariable {
  return (text) => {
    const word = text.trim()
    if (word === '') return undefined
    const found = words.find((known) => known.toLowerCase() === word.toLowerCase())
    if (found !== undefined) return found
    throw new VariableError(`"${text}" is not accepted; one of ${words.join(', ')} is.`)
  }
}

/** A JSON list, or items with commas between. Empty is the empty list. */
export const list: ReadVariable = (text) => {
  const trimmed = text.trim()
  if (!trimmed.startsWith('[')) return trimmed.split(',').flatMap((item) => item.trim() || [])
  const parsed = parseJson(trimmed)
  if (Array.isArray(parsed)) return parsed.map(String)
  throw new VariableError(`"${text}" is not accepted; a JSON list, or items with commas between, is.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
