import type { Edit } from './text-content.ts'

const contextLines = 3

/** Old lines `[start, end)` that became `lines`; every line with its end. */
interface Change {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** The edits of one text as a unified diff, without the lines that name the files; empty where nothing changes. */
export function diffOfEdits(text: string, edits: readonly Edit[]): string {
  const lines = linesOf(text)
  const changes = changesOf(text, lines, edits)
  return hunksOf(changes)
    .map((hunk) => printed(lines, hunk))
    .join('')
}

/** The lines of a text, each with its line end where it has one. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function changesOf(text: string, lines: readonly string[], edits: readonly Edit[]): Change[] {
  const starts: number[] = []
  let offset = 0
  for (const line of lines) {
    starts.push(offset)
    offset += line.length
  }
  const startOf = (line: number) => starts[line] ?? text.length
  const changes: Change[] = []
  let open: { start: number; end: number; edits: Edit[] } | undefined
  const close = (): void => {
    if (!open) return
    const from = startOf(open.start)
    const pieces: string[] = []
    let at = from
    for (const edit of open.edits) {
      pieces.push(text.slice(at, edit.start), edit.text)
      at = edit.end
    }
    pieces.push(text.slice(at, startOf(open.end)))
    const change = withoutEqualEnds(lines, { start: open.start, end: open.end, lines: linesOf(pieces.join('')) })
    if (change.start < change.end || change.lines.length > 0) changes.push(change)
  }
  for (const edit of edits) {
    const start = lineAt(starts, edit.start, text)
    const end = Math.min(lineAt(starts, edit.end, text) + 1, lines.length)
    if (open && start < open.end) {
      open.end = Math.max(open.end, end)
      open.edits.push(edit)
    } else {
      close()
      open = { start, end: Math.max(start, end), edits: [edit] }
    }
  }
  close()
  return changes
}

/** The line that a place is in; behind a last line that has its end, the number of lines. */
function lineAt(starts: readonly number[], offset: number, text: string): number {
  if (offset === text.length && (text === '' || text.endsWith('\n'))) return starts.length
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

function withoutEqualEnds(old: readonly string[], change: Change): Change {
  let { start, end } = change
  let [first, last] = [0, change.lines.length]
  while (start < end && first < last && old[start] === change.lines[first]) {
    start += 1
    first += 1
  }
  while (start < end && first < last && old[end - 1] === change.lines[last - 1]) {
    end -= 1
    last -= 1
  }
  return { start, end, lines: change.lines.slice(first, last) }
}

interface Hunk {
  readonly changes: readonly Change[]
  /** New lines before this hunk minus old lines before it. */
  readonly shift: number
}

function hunksOf(changes: readonly Change[]): Hunk[] {
  const hunks: { changes: Change[]; shift: number }[] = []
  let shift = 0
  for (const change of changes) {
    const hunk = hunks.at(-1)
    const previous = hunk?.changes.at(-1)
    if (hunk && previous && change.start - previous.end <= 2 * contextLines) hunk.changes.push(change)
    else hunks.push({ changes: [change], shift })
    shift += change.lines.length - (change.end - change.start)
  }
  return hunks
}

function printed(lines: readonly string[], { changes, shift }: Hunk): string {
  const first = Math.max(0, (changes[0]?.start ?? 0) - contextLines)
  const last = Math.min(lines.length, (changes.at(-1)?.end ?? 0) + contextLines)
  const rows: string[] = []
  let at = first
  let added = 0
  let removed = 0
  for (const change of changes) {
    for (const line of lines.slice(at, change.start)) rows.push(row(' ', line))
    for (const line of lines.slice(change.start, change.end)) rows.push(row('-', line))
    for (const line of change.lines) rows.push(row('+', line))
    removed += change.end - change.start
    added += change.lines.length
    at = change.end
  }
  for (const line of lines.slice(at, last)) rows.push(row(' ', line))
  const oldCount = last - first
  const newCount = oldCount - removed + added
  return `@@ -${range(first, oldCount)} +${range(first + shift, newCount)} @@\n${rows.join('')}`
}

/** An empty range is named by the line before it. */
function range(first: number, count: number): string {
  return `${count === 0 ? first : first + 1},${count}`
}

function row(sign: string, line: string): string {
  return line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`
}
