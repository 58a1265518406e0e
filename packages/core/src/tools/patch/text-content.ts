import { TextDecoder } from 'node:util'

/**
 * A file's content as text that can be edited and written back without touching a byte outside the edits. Line ends are
 * `\n` here; those of the file, its byte order mark and bytes that are no UTF-8 come back as they were.
 */
export interface TextContent {
  /** Without byte order mark, every `\r\n` as `\n`. */
  readonly text: string
  /** Puts a text that comes from outside into the form of `text`. */
  inward(text: string): string
  /** Puts a part of `text` into the form for people and models. */
  outward(text: string): string
  /** The file's bytes after some edits of `text`. */
  withEdits(edits: readonly Edit[]): Buffer
}

/** Replaces a part of a text; several are in order and do not overlap. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text after some edits. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const edit of edits) {
    pieces.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return pieces.join('') + text.slice(at)
}

export function openText(bytes: Buffer): TextContent {
  const coding = isUtf8(bytes) ? utf8 : rawBytes
  const whole = coding.decode(bytes)
  const mark = whole.startsWith(coding.mark) ? coding.mark : ''
  const body = whole.slice(mark.length)
  const text = body.replaceAll('\r\n', '\n')
  const shortened = shortenedLineEnds(body, text)
  const eol = shortened.length * 2 > countLineEnds(text) ? '\r\n' : '\n'

  return {
    text,
    inward: (given) => coding.inward(given.toWellFormed().replaceAll('\r\n', '\n')),
    outward: (part) => coding.outward(part),
    withEdits(edits) {
      const inFile = edits.map((edit) => ({
        start: edit.start + countBelow(shortened, edit.start),
        end: edit.end + countBelow(shortened, edit.end),
        text: eol === '\n' ? edit.text : edit.text.replaceAll('\n', eol),
      }))
      return coding.encode(mark + applyEdits(body, inFile))
    },
  }
}

interface Coding {
  readonly mark: string
  decode(bytes: Buffer): string
  encode(text: string): Buffer
  inward(text: string): string
  outward(text: string): string
}

const utf8: Coding = {
  mark: '\uFEFF',
  decode: (bytes) => bytes.toString('utf8'),
  encode: (text) => Buffer.from(text, 'utf8'),
  inward: (text) => text,
  outward: (text) => text,
}

/** For files that are not valid UTF-8: each byte is one character, so that every one survives. */
const rawBytes: Coding = {
  mark: '\u00EF\u00BB\u00BF',
  decode: (bytes) => bytes.toString('latin1'),
  encode: (text) => Buffer.from(text, 'latin1'),
  inward: (text) => Buffer.from(text, 'utf8').toString('latin1'),
  outward: (text) => Buffer.from(text, 'latin1').toString('utf8'),
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** Where in `text` the line ends are that are two characters long in the file. */
function shortenedLineEnds(body: string, text: string): number[] {
  const found: number[] = []
  if (body.length === text.length) return found
  for (let at = body.indexOf('\r\n'); at !== -1; at = body.indexOf('\r\n', at + 2)) found.push(at - found.length)
  return found
}

function countLineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** How many of the sorted numbers are less than `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
