import type { QueryNode, SearchQuery, Term } from './parse-query.ts'
import { type Piece, runCharacter, wordCharacter } from './pieces.ts'

/** Occurrences of a term beyond this many say nothing more. */
const maxCount = 30

/** Decides whether folded text matches, and how often each term occurs in it (by the term's index). */
export type Matcher = (folded: string) => readonly number[] | undefined

/** Compiles a query. The work of each text is proportional to its length. */
export function compileMatcher({ root, terms }: SearchQuery): Matcher {
  const finders = terms.map(termFinder)
  return (folded) => {
    const counts = finders.map((find) => countUpTo(find(folded), maxCount))
    return matches(root, counts) ? counts : undefined
  }
}

/** Where a term occurs in folded text: `[start, end)` in UTF-16 units, in order. */
export type Finder = (folded: string) => Iterable<readonly [start: number, end: number]>

/** Finds the occurrences of one term. */
export function termFinder(term: Term): Finder {
  const [only, ...others] = term.pieces
  if (only && others.length === 0) return only.kind === 'run' ? runFinder(only.text) : wordFinder(only.text, term)
  return phraseFinder(term)
}

function matches(node: QueryNode, counts: readonly number[]): boolean {
  switch (node.type) {
    case 'term':
      return counts[node.index]! > 0
    case 'and':
      return node.nodes.every((child) => matches(child, counts))
    case 'or':
      return node.nodes.some((child) => matches(child, counts))
    default:
      return matches(node.wanted, counts) && !matches(node.unwanted, counts)
  }
}

function countUpTo(occurrences: Iterable<unknown>, most: number): number {
  let count = 0
  for (const _ of occurrences) {
    count += 1
    if (count >= most) break
  }
  return count
}

function runFinder(run: string): Finder {
  return function* find(folded) {
    for (let at = folded.indexOf(run); at >= 0; at = folded.indexOf(run, at + run.length)) yield [at, at + run.length]
  }
}

function wordFinder(word: string, { isPrefix }: Term): Finder {
  return function* find(folded) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      const end = at + word.length
      if (isWordBefore(folded, at) || (!isPrefix && isAt('word', folded, end))) continue
      yield [at, end]
    }
  }
}

/** Pieces one after the other: a word stands alone, a run is whole except at the two ends of the phrase. */
function phraseFinder({ pieces, isPrefix }: Term): Finder {
  const first = pieces[0]!
  const longest = pieces.reduce((longest, { text }) => (text.length > longest.length ? text : longest), '')
  return function* find(folded) {
    if (!folded.includes(longest)) return
    for (let at = folded.indexOf(first.text); at >= 0; at = folded.indexOf(first.text, at + 1)) {
      if (first.kind === 'word' && isWordBefore(folded, at)) continue
      const end = phraseEnd(folded, at, pieces, isPrefix)
      if (end !== undefined) yield [at, end]
    }
  }
}

/** Where a phrase ends that begins at `at`; undefined where it is not that phrase. */
function phraseEnd(folded: string, at: number, pieces: readonly Piece[], isPrefix: boolean): number | undefined {
  let end = at
  for (const [i, { kind, text }] of pieces.entries()) {
    if (i > 0) end = skipSeparators(folded, end)
    if (!folded.startsWith(text, end)) return undefined
    end += text.length
    const mayGoOn = i === pieces.length - 1 && (kind === 'run' || isPrefix)
    if (!mayGoOn && isAt(kind, folded, end)) return undefined
  }
  return end
}

function skipSeparators(folded: string, from: number): number {
  let at = from
  while (at < folded.length && !isAt('word', folded, at) && !isAt('run', folded, at)) at += 1
  return at
}

const starts = {
  word: new RegExp(`^${wordCharacter}`, 'v'),
  run: new RegExp(`^${runCharacter}`, 'v'),
}
const endsInWord = new RegExp(`${wordCharacter}$`, 'v')

/** Whether a character of a kind of piece is at an index. */
function isAt(kind: Piece['kind'], folded: string, index: number): boolean {
  if (index >= folded.length) return false
  const code = folded.charCodeAt(index)
  return code < 128 ? kind === 'word' && isAsciiWord(code) : starts[kind].test(folded.slice(index, index + 2))
}

function isWordBefore(folded: string, index: number): boolean {
  if (index === 0) return false
  const code = folded.charCodeAt(index - 1)
  return code < 128 ? isAsciiWord(code) : endsInWord.test(folded.slice(Math.max(0, index - 2), index))
}

function isAsciiWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122)
}
