import type { MessageLimits } from '../platforms/platform.ts'

/** Room for ` (12/34)`, or that on a line of its own, at the end of a part. */
const countRoom = 10

/** An opening fence of a code block: its marks and its language. */
const fencePattern = /^ {0,3}(`{3,}|~{3,})([^`\n]*)$/

/**
 * Cuts a text into messages that a service takes, numbered where there are several. A cut is made at the end of a
 * paragraph, line or word where there is one, never inside a grapheme or a link; a code block that is cut is closed in the
 * one message and opened again in the next.
 */
export function splitText(text: string, limits: MessageLimits): readonly string[] {
  return splitBeginning(text, limits).parts
}

/** Where a text ends before its end. */
export interface Cut {
  /** Most messages that it may take. */
  readonly most: number
  /** Stands at the end of the last one, where it fits; else only a mark. */
  readonly note: string
}

/** As `splitText`, of what comes before the cut. */
export function splitBeginning(
  text: string,
  { maxLength, lengthOf = (part) => part.length }: MessageLimits,
  { most, note }: Cut = { most: Infinity, note: '' },
): { readonly parts: readonly string[]; readonly isWhole: boolean } {
  if (lengthOf(text) <= maxLength) {
    return { parts: text.trim() === '' ? [] : [text], isWhole: true }
  }
  const room = Math.max(16, maxLength - countRoom)
  const parts: string[] = []
  let rest = text
  let open: string | undefined
  let isWhole = true
  const ending = `\n\n${lengthOf(note) <= room / 2 ? note : '…'}`
  while (rest.trim() !== '') {
    const opening = open === undefined ? '' : `${open}\n`
    // To measure all that is left for each part would take the square of its length.
    const isLast = rest.length <= room && lengthOf(opening + rest) <= room
    isWhole = isLast || parts.length + 1 < most
    const endingRoom = isWhole ? 0 : lengthOf(ending)
    const cut = isLast ? rest.length : cutOf(rest, room - lengthOf(opening) - closingRoom(open) - endingRoom, lengthOf)
    const piece = rest.slice(0, cut)
    const fence = fenceAfter(piece, open, room / 8)
    const closing = fence === undefined || isLast ? '' : `\n${marksOf(fence)}`
    parts.push((opening + piece.replace(/\n+$/, '') + closing).trimEnd() + (isWhole ? '' : ending))
    if (!isWhole) break
    open = fence
    rest = rest.slice(cut).replace(open === undefined ? /^\s*\n|^ +/ : /^\n/, '')
  }
  const all = parts.length < 2 ? parts : parts.map((part, at) => numbered(part, `(${at + 1}/${parts.length})`))
  return { parts: all, isWhole }
}

/** Behind the marks that close a code block nothing may stand, or they close none. */
function numbered(part: string, count: string): string {
  const lastLine = part.slice(part.lastIndexOf('\n') + 1)
  return part + (fencePattern.test(lastLine) ? '\n' : ' ') + count
}

function closingRoom(open: string | undefined): number {
  return (open === undefined ? 3 : marksOf(open).length) + 1
}

function marksOf(fence: string): string {
  return fencePattern.exec(fence)?.[1] ?? '```'
}

/** The fence that is open after a piece, as it was written. One that is longer would leave no room for what is in it. */
function fenceAfter(piece: string, open: string | undefined, longest: number): string | undefined {
  let current = open
  for (const line of piece.split('\n')) {
    const found = line.length > longest ? undefined : fencePattern.exec(line)
    if (!found) continue
    if (current === undefined) current = line.trim()
    else if (found[2]?.trim() === '' && (found[1] ?? '').startsWith(marksOf(current))) current = undefined
  }
  return current
}

/** Where to cut a text so that what is before the cut fits: at least one grapheme. */
function cutOf(text: string, room: number, lengthOf: (text: string) => number): number {
  const end = longestFitting(text, room, lengthOf)
  const window = text.slice(0, end)
  const half = Math.floor(window.length / 2)
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = window.lastIndexOf(mark)
    if (at > half) return outsideMarkup(text, at + mark.length)
  }
  return outsideMarkup(text, end)
}

/** The longest beginning that fits, ended between graphemes. */
function longestFitting(text: string, room: number, lengthOf: (text: string) => number): number {
  let low = 0
  let high = Math.min(text.length, Math.max(1, room))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lengthOf(text.slice(0, middle)) <= room) low = middle
    else high = middle - 1
  }
  if (low >= text.length) return text.length
  const near = Math.max(0, low - 64)
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text.slice(near, low + 64))
  const start = segments.containing(Math.min(low, text.length - 1) - near)?.index ?? low - near
  return Math.max(near + start, text.codePointAt(0) === text.charCodeAt(0) ? 1 : 2)
}

/** A cut inside a link or an inline code span moves before it, where that leaves enough. */
function outsideMarkup(text: string, cut: number): number {
  const lineStart = text.lastIndexOf('\n', cut - 1) + 1
  // No bracket within another but a picture's: many that are no links would take the square of their number.
  const spans = /`[^`\n]+`|!?\[(?:[^\][\n]|!\[[^\][\n]*\]\([^)\s[]*\))*\]\([^)\s[]*\)|https?:\/\/[^\s)]+/g
  spans.lastIndex = 0
  for (const span of text.slice(lineStart, cut + 2_000).matchAll(spans)) {
    const from = lineStart + span.index
    if (from >= cut) break
    if (from + span[0].length > cut && from > cut / 4) return from
  }
  return cut
}
