import { z } from 'zod'

// The kinds of values that settings have. Each takes what people write in YAML for it (`yes`, `"90"`, nothing at all)
// and gives one type. An empty value of a number or a switch counts as not set.

/** Text, `''` when not set. A bare number or switch in YAML (a chat id, `on`) is taken as it was meant: as text. */
export function text(fallback = '') {
  return z.preprocess((value) => (isBare(value) ? String(value) : given(value)), z.string().default(fallback))
}

export interface Range {
  readonly min?: number
  readonly max?: number
}

/** A whole number. */
export function whole(fallback: number, { min, max }: Range = {}) {
  let number = z.int()
  if (min !== undefined) number = number.min(min)
  if (max !== undefined) number = number.max(max)
  return z.preprocess(toNumber, number.default(fallback))
}

/** A whole number that may be left out. */
export function optionalWhole({ min = 0 }: Pick<Range, 'min'> = {}) {
  return z.preprocess(toNumber, z.int().min(min).optional())
}

/** A number. */
export function decimal(fallback: number, { min, max }: Range = {}) {
  let number = z.number()
  if (min !== undefined) number = number.min(min)
  if (max !== undefined) number = number.max(max)
  return z.preprocess(toNumber, number.default(fallback))
}

/** On or off. */
export function flag(fallback: boolean) {
  return z.preprocess(toBoolean, z.boolean().default(fallback))
}

/**
 * One of some words, in any case. YAML 1.1 reads a bare `on` or `off` as true or false: these count as the words
 * `on` and `off`, which `aliases` may name.
 */
export function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
  aliases: Readonly<Record<string, Values[number]>> = {},
) {
  const words = new Map<string, string>(values.map((value) => [value.toLowerCase(), value]))
  for (const [alias, value] of Object.entries(aliases)) words.set(alias, value)
  const toWord = (value: unknown): unknown => {
    if (value === null) return undefined
    const word = value === true ? 'on' : value === false ? 'off' : value
    return typeof word === 'string' ? (words.get(word.trim().toLowerCase()) ?? value) : word
  }
  // z.enum's own default wants the exact member, which the generic cannot show.
  return z.preprocess(toWord, z.enum(values).default(fallback as never))
}

/** A list of texts; also written as one text with commas, or as a JSON list. */
export function textList(fallback: readonly string[] = []) {
  const item = z.preprocess((value) => (isBare(value) ? String(value) : value), z.string())
  return z.preprocess(toList, z.array(item).default([...fallback]))
}

/** A list of values of one kind. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess(given, z.array(item).default([]))
}

/** Names with values of one kind. */
export function mapOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(given, z.record(z.string(), value).default({}))
}

/** A mapping that its own feature reads. */
export function freeMap() {
  return mapOf(z.unknown())
}

/**
 * A section of settings. Keys that it does not know pass through, for plugins and for other versions. `from` turns
 * other ways to write the section into a mapping.
 */
export function section<Shape extends z.ZodRawShape>(shape: Shape, from: (value: unknown) => unknown = given) {
  // The type leaves out the unknown keys that pass through, so that a misspelt `config.agent.x` is a type error.
  const object = z.looseObject(shape) as unknown as z.ZodObject<Shape>
  // An absent section is an empty one; `prefault` fills in its settings' own defaults.
  return z.preprocess((value) => from(given(value)), object.prefault({} as never))
}

/** YAML's "nothing" (`key:` with its value commented out) is the same as no such key. */
function given(value: unknown): unknown {
  return value === null ? undefined : value
}

function isBare(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

function toNumber(value: unknown): unknown {
  if (typeof value !== 'string') return given(value)
  const trimmed = value.trim()
  if (trimmed === '') return undefined
  return /^[+-]?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : value
}

const switches = new Map<unknown, boolean | undefined>([
  ['', undefined],
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
])

function toBoolean(value: unknown): unknown {
  if (value === 0 || value === 1) return value === 1
  if (typeof value !== 'string') return given(value)
  const word = value.trim().toLowerCase()
  return switches.has(word) ? switches.get(word) : value
}

function toList(value: unknown): unknown {
  if (typeof value !== 'string') return isBare(value) ? [value] : given(value)
  const trimmed = value.trim()
  if (trimmed.startsWith('[')) return parseJson(trimmed) ?? value
  return trimmed.split(',').flatMap((item) => item.trim() || [])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
