import { isAscii } from './fold.ts'

/**
 * A piece of text that search knows. `word`: letters and digits of a script that parts words by spaces. `run`:
 * characters of a script that does not (Chinese, Japanese, Thai …) or glues particles to them (Korean).
 */
export interface Piece {
  readonly kind: 'word' | 'run'
  readonly text: string
}

/** A character of a `run`, as the inside of a regular expression's class (flag `v`). */
export const runCharacter =
  '[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Yiii}\\p{scx=Thai}\\p{scx=Laoo}' +
  '\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]&&[\\p{L}\\p{N}\\p{M}]]'

/** A character of a `word`. */
export const wordCharacter = `[[\\p{L}\\p{N}\\p{M}]--${runCharacter}]`

const pieces = new RegExp(`(${runCharacter}+)|${wordCharacter}+`, 'gv')
const asciiWords = /[a-z0-9]+/g

/** The pieces of folded text in order; everything between them is a separator. */
export function splitPieces(folded: string): Piece[] {
  return Array.from(folded.matchAll(pieces), ([text, run]) => ({ kind: run === undefined ? 'word' : 'run', text }))
}

/** Longest word kept in the index, in UTF-16 units; longer ones are indexed by their beginning. */
export const longestWord = 64

/**
 * What the index stores for folded text: its words, each pair of neighbours in its runs, and the last character of
 * each run, so that every character begins a token. Each token once, separated by spaces.
 */
export function indexTokens(folded: string): string {
  const tokens = new Set<string>()
  if (isAscii(folded)) {
    for (const word of folded.match(asciiWords) ?? []) tokens.add(word.slice(0, longestWord))
  } else {
    for (const [text, run] of folded.matchAll(pieces)) {
      if (run === undefined) tokens.add(wordToken(text))
      else addRunTokens(text, tokens)
    }
  }
  return [...tokens].join(' ')
}

/** The index's token of a word. */
export function wordToken(word: string): string {
  return word.length > longestWord ? word.slice(0, longestWord).toWellFormed() : word
}

/** The pairs of neighbours in a run. */
export function runPairs(run: string): string[] {
  const characters = Array.from(run)
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

function addRunTokens(run: string, tokens: Set<string>): void {
  let previous = ''
  for (const character of run) {
    if (previous !== '') tokens.add(previous + character)
    previous = character
  }
  tokens.add(previous)
}
