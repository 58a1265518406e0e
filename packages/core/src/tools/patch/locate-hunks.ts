import { findLines, lineForms } from './line-forms.ts'
import type { Hunk, HunkLine } from './parse-patch.ts'
import { PatchError } from './patch-error.ts'
import { reindented } from './reindent.ts'
import { mostSimilarLine } from './similar-lines.ts'
import type { Edit } from './text-content.ts'

/** Lines `[start, end)` of a file that become other lines. */
interface LineChange {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Where a hunk's old lines begin, and which of its lines count. */
interface Place {
  readonly first: number
  readonly lines: readonly HunkLine[]
}

/**
 * The edits that some hunks make of a text. Each hunk must have one place: the only one where its old lines stand, or
 * the one that its `@@` lines, its line number or the hunk before it point to. Throws `PatchError` otherwise.
 */
export function editsOfHunks(path: string, text: string, hunks: readonly Hunk[]): Edit[] {
  const endsLine = text.endsWith('\n')
  const lines = text === '' ? [] : (endsLine ? text.slice(0, -1) : text).split('\n')
  const changes: LineChange[] = []
  let after = 0
  for (const [index, hunk] of hunks.entries()) {
    const name = hunks.length > 1 ? `Hunk ${index + 1} for ${path}` : `The hunk for ${path}`
    const place = placeOf(name, lines, hunk, after)
    changes.push(...changesOf(lines, place))
    after = place.first + oldLines(place.lines).length
  }
  const inOrder = changes.toSorted((a, b) => a.start - b.start || a.end - b.end)
  for (const [index, change] of inOrder.entries()) {
    if (change.start < (inOrder[index - 1]?.end ?? 0)) {
      throw new PatchError(`Two hunks for ${path} change the same lines (line ${change.start + 1}). Make them one.`)
    }
  }
  return textEdits(text, lines, joined(inOrder))
}

/** Changes that touch each other as one. */
function joined(changes: readonly LineChange[]): LineChange[] {
  const result: LineChange[] = []
  for (const change of changes) {
    const last = result.at(-1)
    if (last?.end !== change.start) result.push(change)
    else result.splice(-1, 1, { start: last.start, end: change.end, lines: [...last.lines, ...change.lines] })
  }
  return result
}

function oldLines(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ kind }) => kind !== 'add').map((line) => line.text)
}

function placeOf(name: string, lines: readonly string[], hunk: Hunk, after: number): Place {
  const whole = hunk.lines
  // Blank lines at the end of a hunk may be part of it or only spacing.
  const variants = hunk.looseBlanks > 0 ? [whole, whole.slice(0, -hunk.looseBlanks)] : [whole]
  for (const variant of variants) {
    const wanted = oldLines(variant)
    const isPlaced = hunk.line !== undefined || hunk.hints.length > 0
    const isBlank = wanted.every((line) => line.trim() === '') && variant.every(({ kind }) => kind !== 'remove')
    if (wanted.length === 0 || (isBlank && !isPlaced)) {
      return { first: insertionPoint(name, lines, hunk), lines: variant.filter(({ kind }) => kind === 'add') }
    }
    for (const form of lineForms) {
      const found = findLines(lines, wanted, form).filter(
        (first) => !hunk.atEnd || first + wanted.length === lines.length,
      )
      const first = chosen(name, lines, hunk, found, after)
      if (first !== undefined) return { first, lines: variant }
    }
  }
  const wanted = oldLines(whole)
  const near = mostSimilarLine(lines, wanted.find((line) => line.trim() !== '') ?? '')
  const hint = near === undefined ? {} : { _hint: `Nearest is line ${near + 1}: ${lines[near] ?? ''}` }
  throw new PatchError(
    `${name} could not be found: its context and "-" lines are not in the file. Read the file and write them as they are there.`,
    hint,
  )
}

/** Of the places where a hunk's lines stand, the one that is meant; undefined when there is none. */
function chosen(
  name: string,
  lines: readonly string[],
  hunk: Hunk,
  found: readonly number[],
  after: number,
): number | undefined {
  if (found.length <= 1) return found[0]
  const atLine = found.find((first) => first + 1 === hunk.line)
  if (atLine !== undefined) return atLine
  const hinted = hunk.hints.length > 0 ? afterHints(lines, hunk.hints) : []
  const behind = new Set(
    hinted.map((line) => found.find((first) => first > line)).filter((first) => first !== undefined),
  )
  const [only] = behind
  if (behind.size === 1) return only
  const later = found.filter((first) => first >= after)
  if (hunk.hints.length === 0 && after > 0 && later.length === 1) return later[0]
  const places = found.slice(0, 10).map((first) => first + 1)
  throw new PatchError(
    `${name} fits ${found.length} places (lines ${places.join(', ')}). Add context lines, or an "@@ line before it" that stands only once.`,
  )
}

/** Where lines are added that stand by themselves: after the hinted line, at the line number, or at the end. */
function insertionPoint(name: string, lines: readonly string[], hunk: Hunk): number {
  if (hunk.line !== undefined && hunk.line <= lines.length + 1) return Math.max(0, hunk.line - 1)
  if (hunk.hints.length === 0) return lines.length
  const places = afterHints(lines, hunk.hints)
  const [place] = places
  if (place === undefined)
    throw new PatchError(`${name} could not be placed: there is no line "${hunk.hints.at(-1)}" in the file.`)
  if (places.length > 1)
    throw new PatchError(
      `${name} could not be placed: the line "${hunk.hints.at(-1)}" stands ${places.length} times in the file.`,
    )
  return place + 1
}

/** The lines that the last hint may mean, each after one of the hint before it. */
function afterHints(lines: readonly string[], hints: readonly string[]): number[] {
  let places: number[] | undefined
  for (const hint of hints) {
    const found = hintedLines(lines, hint)
    const earlier = places
    places = earlier === undefined ? found : found.filter((line) => earlier.some((before) => before < line))
  }
  return places ?? []
}

function hintedLines(lines: readonly string[], hint: string): number[] {
  for (const form of lineForms) {
    const found = findLines(lines, [hint], form)
    if (found.length > 0) return found
  }
  return [...lines.entries()].filter(([, line]) => line.includes(hint)).map(([index]) => index)
}

/** What is really changed: lines of context stay as they are in the file. */
function changesOf(lines: readonly string[], { first, lines: hunkLines }: Place): LineChange[] {
  const wanted = oldLines(hunkLines)
  const actual = lines.slice(first, first + wanted.length)
  const changes: LineChange[] = []
  let at = first
  let open: { start: number; end: number; lines: string[] } | undefined
  for (const { kind, text } of hunkLines) {
    if (kind === 'context') {
      if (open) changes.push(open)
      open = undefined
      at += 1
      continue
    }
    open ??= { start: at, end: at, lines: [] }
    if (kind === 'add') open.lines.push(text)
    else open.end = at += 1
  }
  if (open) changes.push(open)
  return changes.map((change) => ({ ...change, lines: reindented(change.lines, wanted, actual) }))
}

/** Changes of lines as edits of the text; whether its last line has an end stays as it is. */
function textEdits(text: string, lines: readonly string[], changes: readonly LineChange[]): Edit[] {
  const offsets: number[] = [0]
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1)
  const hasLastEnd = text === '' || text.endsWith('\n')
  return changes.map(({ start, end, lines: fresh }) => {
    const from = offsets[start] ?? 0
    const to = offsets[end] ?? 0
    const reachesEnd = end === lines.length
    if (!reachesEnd || hasLastEnd) return { start: from, end: to, text: fresh.map((line) => `${line}\n`).join('') }
    // The last line has no end and keeps none, unless it is empty: an empty line is nothing but its end.
    if (fresh.length === 0)
      return { start: lines[start - 1] === '' ? from : Math.max(0, from - 1), end: text.length, text: '' }
    const added = fresh.at(-1) === '' ? `${fresh.join('\n')}\n` : fresh.join('\n')
    return start === lines.length
      ? { start: text.length, end: text.length, text: `\n${added}` }
      : { start: from, end: text.length, text: added }
  })
}
