import { SessionError } from './store.ts'

/** Longest title, in characters (code points). */
export const maxTitleLength = 100

const controlCharacters = /[\p{Cc}--[\t\n\r]]/gv
const invisibleCharacters = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFFC\uFFF9-\uFFFB]/g
const numbered = /^(.*?) #(\d+)$/su

/** A title as it is stored: one line, no invisible characters; undefined when nothing is left. */
export function cleanTitle(title: string): string | undefined {
  const cleaned = title
    .toWellFormed()
    .replace(controlCharacters, '')
    .replace(invisibleCharacters, '')
    .replace(/\s+/gu, ' ')
    .trim()
  const length = Array.from(cleaned).length
  if (length > maxTitleLength) {
    throw new SessionError(
      'title-too-long',
      `The title has ${length} characters; ${maxTitleLength} are the most that a title can have`,
    )
  }
  return cleaned === '' ? undefined : cleaned
}

/** A title's name within its lineage: `plan` of both `plan` and `plan #2`. */
export function lineageBase(title: string): string {
  return numbered.exec(title)?.[1] ?? title
}

/** The number of a title in the lineage of `base`: 1 for the base itself, undefined for a stranger. */
export function lineageNumber(base: string, title: string): number | undefined {
  if (title === base) return 1
  const match = numbered.exec(title)
  return match && match[1] === base ? Number(match[2]) : undefined
}

/** The title that continues a lineage, given the titles that exist: the base itself where there is none yet. */
export function nextInLineage(base: string, existing: readonly string[]): string {
  const numbers = existing.map((title) => lineageNumber(base, title) ?? 0)
  const highest = Math.max(0, ...numbers)
  if (highest === 0) return base
  const suffix = ` #${highest + 1}`
  return (
    Array.from(base)
      .slice(0, maxTitleLength - suffix.length)
      .join('') + suffix
  )
}
