import { createHash } from 'node:crypto'
import { parseFields } from './json-fields.ts'
import type { Fields } from './json-fields.ts'

/** Some APIs take ids of letters, digits, `_` and `-` alone; other servers' ids are spelled with those. */
export function plainId(id: string): string {
  return /^[\w-]+$/.test(id)
    ? id
    : id.replaceAll(/[^\w-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}_`)
}

/** A longer id is known by its digest, always the same. */
export function shortId(id: string, longest = 64): string {
  return id.length <= longest ? id : createHash('sha256').update(id).digest('hex').slice(0, longest)
}

/** The arguments of a call where they must be an object; text that is none is shown to the model as what it wrote. */
export function inputOf(text: string): Fields {
  return text.trim() === '' ? {} : (parseFields(text) ?? { not_valid_json: text })
}
