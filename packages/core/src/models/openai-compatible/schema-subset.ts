import { fields, list } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/** Keywords that Google's servers know (https://ai.google.dev/api/caching#Schema). */
const kept = new Set(
  'type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern anyOf items minimum maximum default propertyOrdering'.split(
    ' ',
  ),
)

/** A JSON Schema in the words that Google's servers know: what they do not know is left out, or said another way. */
export function schemaSubset(schema: Fields): Fields {
  const found = Object.entries(schema).flatMap(([keyword, value]) => spelled(keyword, value))
  const { enum: values, ...rest } = Object.fromEntries(found) as Record<string, unknown>
  // A choice is one of texts there.
  const isOfTexts = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return { ...rest, ...(isOfTexts && { enum: values }) }
}

function spelled(keyword: string, value: unknown): [string, unknown][] {
  if (keyword === 'const') return [['enum', [value]]]
  if (keyword === 'oneOf') return [['anyOf', list(value).map(inner)]]
  if (keyword === 'type' && Array.isArray(value)) return types(value)
  if (!kept.has(keyword)) return []
  if (keyword === 'properties') {
    return [[keyword, Object.fromEntries(Object.entries(fields(value) ?? {}).map(([name, one]) => [name, inner(one)]))]]
  }
  if (keyword === 'items') return [[keyword, inner(value)]]
  if (keyword === 'anyOf') return [[keyword, list(value).map(inner)]]
  if (keyword === 'format' && value !== 'enum' && value !== 'date-time') return []
  return [[keyword, value]]
}

/** Several types are the first of them, which may be null. */
function types(given: readonly unknown[]): [string, unknown][] {
  const real = given.filter((type) => type !== 'null')
  const nullable: [string, unknown][] = real.length < given.length ? [['nullable', true]] : []
  if (real.length <= 1) return [['type', real[0] ?? 'string'], ...nullable]
  return [['anyOf', real.map((type) => ({ type }))], ...nullable]
}

function inner(schema: unknown): unknown {
  const found = fields(schema)
  // `true` allows anything; there is no word for that but none.
  return found ? schemaSubset(found) : {}
}
