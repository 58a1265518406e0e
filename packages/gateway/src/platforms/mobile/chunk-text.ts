import { lazily } from '@hermes/core/storage/lazily.ts'

/** It takes some 15 ms and 4 MB, and hardly any text needs it. */
const segmenter = lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** How far back from the limit a better place for a cut is looked for, as a part of the limit. */
const searched = 0.4

/**
 * Cuts a text into pieces of at most `maxChars` UTF-16 units, which joined are the text again. A cut is made behind a
 * paragraph, a line or a word where one ends in the last part of a piece, and else between two graphemes.
 */
export function chunkText(text: string, maxChars: number): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > maxChars) {
    const cut = cutOf(rest, maxChars)
    pieces.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return [...pieces, rest]
}

function cutOf(text: string, maxChars: number): number {
  const room = text.slice(0, maxChars)
  const least = maxChars * (1 - searched)
  for (const end of ['\n\n', '\n', ' ']) {
    const at = room.lastIndexOf(end)
    if (at + end.length > least) return at + end.length
  }
  return graphemeCut(text, maxChars)
}

/** The last border between graphemes in the limit; one that is longer than the limit is cut between its code points. */
function graphemeCut(text: string, maxChars: number): number {
  const near = Math.max(0, maxChars - 200)
  const start = isInPair(text, near) ? near - 1 : near
  const end =
    start +
    (segmenter()
      .segment(text.slice(start, maxChars + 200))
      .containing(maxChars - start)?.index ?? 0)
  if (end > start) return end
  return isInPair(text, maxChars) ? maxChars - 1 : maxChars
}

function isInPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
}
