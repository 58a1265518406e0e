import { findLines, lineForms, plainTypography } from './line-forms.ts'
import { reindented } from './reindent.ts'
import { findSimilarBlock } from './similar-lines.ts'
import type { Edit } from './text-content.ts'

/** Where a text stands, and what a replacement must be there. */
export interface FoundText {
  readonly edits: readonly Edit[]
  /** How the places were found; `exact`, or in what they may differ from what was asked. */
  readonly by: string
  /** Whether the places are only like what was asked, so that somebody should look at them. */
  readonly isGuess: boolean
}

/**
 * Finds `wanted` in `text` and says which edits put `replacement` there. The strictest way of looking that finds
 * anything decides; undefined where none does. More than one edit: the text is ambiguous, unless all were meant.
 */
export function findText(text: string, wanted: string, replacement: string): FoundText | undefined {
  const exact = everywhere(text, wanted).map((start) => ({ start, end: start + wanted.length, text: replacement }))
  if (exact.length > 0) return { edits: exact, by: 'exact', isGuess: false }
  for (const look of [byLines, byLoosePart, byTrimming, byUnescaping, bySimilarity]) {
    const found = look(text, wanted, replacement)
    if (found) return found
  }
  return undefined
}

/** Starts of a text in another, not overlapping. */
function everywhere(text: string, wanted: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

/** Whole lines that differ in blanks or typography. */
function byLines(text: string, wanted: string, replacement: string): FoundText | undefined {
  const search = lineSearch(text, wanted, replacement)
  const { lines, wantedLines } = search
  for (const form of lineForms.slice(1)) {
    const found = narrowed(lines, wantedLines, withoutOverlap(findLines(lines, wantedLines, form), wantedLines.length))
    if (found.length === 0) continue
    const edits = found.map((first) => linesEdit(search, first))
    return { edits, by: form.name, isGuess: false }
  }
  return undefined
}

/** Of several places those whose lines are indented against each other as the wanted ones are. */
function narrowed(lines: readonly string[], wanted: readonly string[], found: readonly number[]): readonly number[] {
  if (found.length < 2) return found
  const shape = dedented(wanted)
  const same = found.filter((first) => dedented(lines.slice(first, first + wanted.length)) === shape)
  return same.length > 0 ? same : found
}

function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const common = Math.min(...indents)
  return lines.map((line) => line.slice(common).trimEnd()).join('\n')
}

function withoutOverlap(found: readonly number[], length: number): number[] {
  const kept: number[] = []
  for (const first of found) if (first >= (kept.at(-1) ?? -length) + length) kept.push(first)
  return kept
}

/** The lines of the file, and what was asked of them. */
interface LineSearch {
  readonly lines: readonly string[]
  /** Where each line begins. */
  readonly offsets: readonly number[]
  readonly wantedLines: readonly string[]
  /** Whether the wanted text goes up to the end of its last line, that included. */
  readonly endsLine: boolean
  readonly replacement: string
}

function lineSearch(text: string, wanted: string, replacement: string): LineSearch {
  const lines = text.split('\n')
  const offsets: number[] = []
  let offset = 0
  for (const line of lines) {
    offsets.push(offset)
    offset += line.length + 1
  }
  const endsLine = wanted.endsWith('\n')
  return { lines, offsets, wantedLines: (endsLine ? wanted.slice(0, -1) : wanted).split('\n'), endsLine, replacement }
}

function linesEdit({ lines, offsets, wantedLines, endsLine, replacement }: LineSearch, first: number): Edit {
  const actual = lines.slice(first, first + wantedLines.length)
  const start = offsets[first] ?? 0
  const end = start + actual.join('\n').length
  const fresh = reindented(replacement.split('\n'), wantedLines, actual).join('\n')
  const isLast = first + wantedLines.length === lines.length
  if (!endsLine) return { start, end, text: fresh }
  return isLast ? { start, end, text: fresh.replace(/\n$/, '') } : { start, end: end + 1, text: fresh }
}

/** A part of one line that differs in blanks or typography. */
function byLoosePart(text: string, wanted: string, replacement: string): FoundText | undefined {
  if (wanted.includes('\n') || wanted.trim() === '') return undefined
  const pattern = plainTypography(wanted)
    .split(/[ \t]+/)
    .map((piece) => RegExp.escape(piece))
    .join('[ \\t]+')
  const edits = [...plainTypography(text).matchAll(new RegExp(pattern, 'g'))].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: replacement,
  }))
  return edits.length > 0 ? { edits, by: 'white space or typography', isGuess: false } : undefined
}

/** Blank lines or blanks around the wanted text that the file does not have. */
function byTrimming(text: string, wanted: string, replacement: string): FoundText | undefined {
  const core = wanted.trim()
  if (core === '' || core === wanted) return undefined
  const before = wanted.slice(0, wanted.indexOf(core))
  const after = wanted.slice(before.length + core.length)
  const withoutBefore = replacement.startsWith(before) ? replacement.slice(before.length) : replacement
  const fresh = after !== '' && withoutBefore.endsWith(after) ? withoutBefore.slice(0, -after.length) : withoutBefore
  const edits = everywhere(text, core).map((start) => ({ start, end: start + core.length, text: fresh }))
  return edits.length > 0 ? { edits, by: 'space around it', isGuess: false } : undefined
}

/** A text that was escaped once too often: `\n` and `\t` are meant as line end and tab. */
function byUnescaping(text: string, wanted: string, replacement: string): FoundText | undefined {
  const plain = unescaped(wanted)
  if (plain === wanted || plain.trim() === '') return undefined
  const fresh = unescaped(replacement)
  const edits = everywhere(text, plain).map((start) => ({ start, end: start + plain.length, text: fresh }))
  return edits.length > 0 ? { edits, by: 'escaped characters', isGuess: true } : undefined
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([nt"'])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 't' ? '\t' : letter))
}

/** Lines that are nearly those wanted, if there is one such place. */
function bySimilarity(text: string, wanted: string, replacement: string): FoundText | undefined {
  const search = lineSearch(text, wanted, replacement)
  const first = findSimilarBlock(search.lines, search.wantedLines)
  return first === undefined ? undefined : { edits: [linesEdit(search, first)], by: 'similarity', isGuess: true }
}
