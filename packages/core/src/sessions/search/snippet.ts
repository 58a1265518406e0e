import { foldText } from './fold.ts'
import type { Finder } from './match.ts'

/** Characters shown before the match and from it on: about forty words. */
const before = 80
const after = 200

/** Occurrences of one term that are looked at for the best place. */
const maxOccurrences = 50

/**
 * The part of a text where most of the query's terms are, matches between `>>>` and `<<<`, `...` where text is left
 * out. The start of the text where nothing is found. `folded` is the content folded.
 */
export function makeSnippet(content: string, folded: string, finders: readonly Finder[]): string {
  const anchor = originalIndex(content, folded, bestPlace(folded, finders))
  const start = anchor <= before ? 0 : wordStart(content, anchor - before, anchor)
  const end = wordEnd(content, Math.min(content.length, anchor + after))
  const shown = content.slice(start, end)
  const marked = mark(shown, keepsPlaces(content, folded) ? folded.slice(start, end) : foldText(shown), finders)
  return `${start > 0 ? '...' : ''}${marked}${end < content.length ? '...' : ''}`
}

/** The occurrence after which most different terms follow soon. */
function bestPlace(folded: string, finders: readonly Finder[]): number {
  const places = finders
    .flatMap((find, term) => take(find(folded), maxOccurrences).map(([start]) => ({ start, term })))
    .sort((a, b) => a.start - b.start)
  let best = { start: 0, terms: 0 }
  for (const [i, { start }] of places.entries()) {
    const near = new Set<number>()
    for (let j = i; j < places.length && places[j]!.start < start + after - before; j += 1) near.add(places[j]!.term)
    if (near.size > best.terms) best = { start, terms: near.size }
  }
  return best.start
}

function mark(text: string, folded: string, finders: readonly Finder[]): string {
  const spans = finders
    .flatMap((find) => take(find(folded), maxOccurrences))
    .map(([start, end]) => [originalIndex(text, folded, start), originalIndex(text, folded, end)] as const)
    .sort((a, b) => a[0] - b[0] || b[1] - a[1])
  let marked = ''
  let done = 0
  for (const [start, end] of spans) {
    if (start < done || end <= start) continue
    marked += `${text.slice(done, start)}>>>${text.slice(start, end)}<<<`
    done = end
  }
  return marked + text.slice(done)
}

/** Where a place in folded text is in the text itself. */
function originalIndex(text: string, folded: string, index: number): number {
  if (keepsPlaces(text, folded)) return index
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (foldText(text.slice(0, middle)).length <= index) low = middle
    else high = middle - 1
  }
  return low
}

/** Most text keeps its length when it is folded, and with it the place of everything in it. */
function keepsPlaces(text: string, folded: string): boolean {
  return text.length === folded.length
}

/** A place from `from` on, before `limit`, at which a word begins; else one that parts no character. */
function wordStart(text: string, from: number, limit: number): number {
  const space = text.slice(from, Math.min(from + 24, limit)).search(/\s/)
  return space >= 0 ? from + space + 1 : characterStart(text, from)
}

function wordEnd(text: string, to: number): number {
  if (to >= text.length) return text.length
  const space = /\s\S*$/.exec(text.slice(to - 24, to))
  return space ? to - 24 + space.index : characterStart(text, to)
}

function characterStart(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index
}

function take<T>(values: Iterable<T>, most: number): T[] {
  const taken: T[] = []
  for (const value of values) {
    taken.push(value)
    if (taken.length >= most) break
  }
  return taken
}
