import type { QueryNode, SearchQuery, Term } from './parse-query.ts'
import { runCharacter, wordCharacter } from './pieces.ts'

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

const isWordEnd = new RegExp(`${wordCharacter}$`, 'v')
const isWordStart = new RegExp(`^${wordCharacter}`, 'v')

function wordFinder(word: string, { isPrefix }: Term): Finder {
  return function* find(folded) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      const end = at + word.length
      if (continuesBefore(folded, at) || (!isPrefix && continuesAfter(folded, end))) continue
      yield [at, end]
    }
  }
}

function continuesBefore(folded: string, at: number): boolean {
  if (at === 0) return false
  const code = folded.charCodeAt(at - 1)
  return code < 128 ? isAsciiWord(code) : isWordEnd.test(folded.slice(Math.max(0, at - 2), at))
}

function continuesAfter(folded: string, end: number): boolean {
  if (end >= folded.length) return false
  const code = folded.charCodeAt(end)
  return code < 128 ? isAsciiWord(code) : isWordStart.test(folded.slice(end, end + 2))
}

function isAsciiWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122)
}

/** Pieces one after the other: a word stands alone, a run is whole except at the two ends of the phrase. */
function phraseFinder({ pieces, isPrefix }: Term): Finder {
  const last = pieces.length - 1
  const source = pieces.map(({ kind, text }, i) => {
    const character = kind === 'run' ? runCharacter : wordCharacter
    const mayGoOnBefore = kind === 'run' && i === 0
    const mayGoOnAfter = i === last && (kind === 'run' || isPrefix)
    return `${mayGoOnBefore ? '' : `(?<!${character})`}${text}${mayGoOnAfter ? '' : `(?!${character})`}`
  })
  const separators = `[^\\p{L}\\p{N}\\p{M}]*`
  const pattern = new RegExp(source.join(separators), 'gv')
  const longest = pieces.reduce((longest, { text }) => (text.length > longest.length ? text : longest), '')
  return function* find(folded) {
    if (!folded.includes(longest)) return
    for (const match of folded.matchAll(pattern)) yield [match.index, match.index + match[0].length]
  }
}
