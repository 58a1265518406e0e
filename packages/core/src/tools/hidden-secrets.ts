import type { Redactor } from '../security/redact.ts'
import { hiddenKeyLine } from './read-lines.ts'

/**
 * The secrets of a file that a model has only seen masked. A model that writes such a text back means the secret, so
 * that must neither be lost nor be replaced by its mask.
 */
export interface HiddenSecrets {
  /** Puts the secrets back where a text has their masks. */
  restore(text: string): string
  /** A masked line that could not be restored, for the error; undefined when there is none. */
  leftover(text: string): string | undefined
}

const none: HiddenSecrets = { restore: (text) => text, leftover: () => undefined }

/** Longest text whose masks are looked for, characters. */
const maxChars = 4_000_000

/** Compares a file's text with what a model sees of it. */
export function hiddenSecrets(original: string, redactor: Redactor): HiddenSecrets {
  if (original.length > maxChars) return none
  const shown = redactor.redact(original)
  const hasKey = original.includes('PRIVATE KEY')
  if (shown === original && !hasKey) return none
  const originalLines = original.split('\n')
  const shownLines = shown.split('\n')
  const isAligned = originalLines.length === shownLines.length
  const lines = new Map<string, string | undefined>()
  const masks = new Map<string, string | undefined>()
  if (isAligned) {
    for (const [index, line] of originalLines.entries()) {
      const shownLine = shownLines[index] ?? ''
      if (shownLine === line) continue
      learn(lines, shownLine.trim(), line.trim())
      const [mask, secret] = difference(shownLine, line)
      if (mask.length >= 6) learn(masks, mask, secret)
    }
  }
  const known = new Set(originalLines.map((line) => line.trim()))
  const masked = new Set(shownLines.map((line) => line.trim()).filter((line) => !known.has(line)))
  if (hasKey) masked.add(hiddenKeyLine)

  return {
    restore(text) {
      const restored = text.split('\n').map((line) => {
        const secret = lines.get(line.trim())
        return secret === undefined ? line : line.replace(line.trim(), () => secret)
      })
      let result = restored.join('\n')
      for (const [mask, secret] of masks) {
        if (secret !== undefined && !original.includes(mask)) result = result.replaceAll(mask, () => secret)
      }
      return result
    },
    leftover: (text) =>
      text
        .split('\n')
        .find((line) => masked.has(line.trim()))
        ?.trim(),
  }
}

/** What to tell a model whose new text still has a mask in it. */
export function maskedText(path: string, line: string): string {
  return `The new text for ${path} has a masked secret in it ("${line}"), which would destroy the real one. Nothing was changed; leave such lines out of the change.`
}

/** A mask in a new text that stands for no secret of the file it goes to; undefined when there is none. */
export function foreignMask(text: string, original: string): string | undefined {
  return text.match(/«secret:[^»\s]{1,80}»/g)?.find((mask) => !original.includes(mask))
}

/** Notes what a mask stands for; one that stands for two things stands for neither. */
function learn(known: Map<string, string | undefined>, mask: string, secret: string): void {
  known.set(mask, known.has(mask) && known.get(mask) !== secret ? undefined : secret)
}

/** The words in which two lines differ: what is shown, and what it stands for. */
function difference(shown: string, original: string): [mask: string, secret: string] {
  let start = 0
  while (start < shown.length && shown[start] === original[start]) start += 1
  let end = 0
  const most = Math.min(shown.length, original.length) - start
  while (end < most && shown.at(-1 - end) === original.at(-1 - end)) end += 1
  while (start > 0 && isWord(shown[start - 1])) start -= 1
  while (end > 0 && isWord(shown.at(-end))) end -= 1
  return [shown.slice(start, shown.length - end), original.slice(start, original.length - end)]
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[^\s"'`=:,;()<>]/.test(letter)
}
