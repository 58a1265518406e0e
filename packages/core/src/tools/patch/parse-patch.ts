import { PatchError } from './patch-error.ts'

export interface HunkLine {
  readonly kind: 'context' | 'remove' | 'add'
  readonly text: string
}

/** One place of a file and what becomes of it. */
export interface Hunk {
  /** Lines that stand before the place, from the `@@` lines; empty where none was given. */
  readonly hints: readonly string[]
  /** The place's line from 1, where the hunk says it as unified diffs do. */
  readonly line: number | undefined
  readonly lines: readonly HunkLine[]
  /** Whether the hunk reaches to the end of the file. */
  readonly atEnd: boolean
  /** Lines at the end that may be no more than the patch's own spacing. */
  readonly looseBlanks: number
}

export type PatchOperation =
  | {
      readonly type: 'update'
      readonly path: string
      readonly moveTo: string | undefined
      readonly hunks: readonly Hunk[]
    }
  | { readonly type: 'add'; readonly path: string; readonly content: string }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'move'; readonly path: string; readonly moveTo: string }

/** Longest patch, characters. */
const maxPatchChars = 2_000_000

const heading = /^\*\*\* (Update|Add|Delete|Move) File:\s*(.*\S)\s*$/

/** Reads a patch in the V4A format. Throws `PatchError` for what is none; says in which line. */
export function parsePatch(text: string): PatchOperation[] {
  if (text.length > maxPatchChars)
    throw new PatchError(`The patch is longer than ${maxPatchChars} characters. Send it in parts.`)
  const lines = between(text.replaceAll('\r\n', '\n').split('\n'))
  const first = lines.findIndex((line) => heading.test(line))
  if (first === -1) {
    throw new PatchError(
      'The patch has no operation. Each begins with "*** Update File: path", "*** Add File: path", "*** Delete File: path" or "*** Move File: old -> new".',
    )
  }
  const operations: PatchOperation[] = []
  for (let at = first; at < lines.length;) {
    const next = lines.findIndex((line, index) => index > at && heading.test(line))
    const end = next === -1 ? lines.length : next
    operations.push(parseOperation(lines[at] ?? '', lines.slice(at + 1, end)))
    at = end
  }
  return operations
}

/** What stands between the outer markers, where they are there. */
function between(lines: readonly string[]): string[] {
  const begin = lines.findIndex((line) => /^\*\*\* Begin Patch\s*$/.test(line))
  const end = lines.findLastIndex((line) => /^\*\*\* End Patch\s*$/.test(line))
  return lines.slice(begin + 1, end > begin ? end : undefined)
}

function parseOperation(head: string, body: readonly string[]): PatchOperation {
  const [, kind, name = ''] = heading.exec(head) ?? []
  if (kind === 'Add') return { type: 'add', path: name, content: addedContent(name, body) }
  if (kind === 'Delete') {
    const extra = body.find((line) => line.trim() !== '')
    if (extra !== undefined)
      throw new PatchError(`After "*** Delete File: ${name}" comes no content, but there is: ${extra}`)
    return { type: 'delete', path: name }
  }
  if (kind === 'Move') {
    const [from, to] = name.split(/\s+->\s+/)
    if (!from || !to) throw new PatchError(`Write a move as "*** Move File: old -> new"; this is: ${name}`)
    const hunks = parseHunks(from, body)
    return hunks.length > 0
      ? { type: 'update', path: from, moveTo: to, hunks }
      : { type: 'move', path: from, moveTo: to }
  }
  return updateOperation(name, body)
}

function updateOperation(path: string, body: readonly string[]): PatchOperation {
  const [, moveTo] = /^\*\*\* Move to:\s*(.*\S)\s*$/.exec(body[0] ?? '') ?? []
  const hunks = parseHunks(path, moveTo === undefined ? body : body.slice(1))
  if (hunks.length > 0) return { type: 'update', path, moveTo, hunks }
  if (moveTo !== undefined) return { type: 'move', path, moveTo }
  throw new PatchError(
    `"*** Update File: ${path}" has no change: give a hunk with "@@" and lines that begin with " ", "-" or "+".`,
  )
}

function addedContent(path: string, body: readonly string[]): string {
  const lines = body.slice(0, body.findLastIndex((line) => line.trim() !== '') + 1)
  const wrong = lines.find((line) => line !== '' && !line.startsWith('+') && !isEndNote(line))
  if (wrong !== undefined)
    throw new PatchError(`Each line of "*** Add File: ${path}" begins with "+"; this one does not: ${wrong}`)
  const content = lines.filter((line) => !isEndNote(line)).map((line) => line.slice(1))
  return content.length === 0 ? '' : `${content.join('\n')}\n`
}

function parseHunks(path: string, body: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let hints: string[] = []
  let line: number | undefined
  let rows: string[] = []
  let atEnd = false
  const close = (): void => {
    if (rows.some((row) => row !== '')) hunks.push({ hints, line, atEnd, ...hunkLines(rows) })
    else if (rows.length === 0 && hints.length > 0) return
    hints = []
    line = undefined
    rows = []
    atEnd = false
  }
  for (const row of body) {
    if (row.startsWith('@@')) {
      close()
      const { hint, number } = hunkHead(row)
      if (hint !== '') hints.push(hint)
      line = number ?? line
    } else if (rows.length === 0 && /^(?:---|\+\+\+) [ab]\//.test(row)) continue
    else if (/^\*\*\* End of File\s*$/.test(row)) atEnd = true
    else if (row.startsWith('*** ')) throw new PatchError(`"${row}" in the part for ${path} is no line of a patch.`)
    else if (!isEndNote(row)) rows.push(row)
  }
  close()
  const idle = hunks.find(({ lines }) => lines.every(({ kind }) => kind === 'context'))
  if (idle)
    throw new PatchError(`A hunk for ${path} has no line that begins with "-" or "+": ${idle.lines[0]?.text ?? ''}`)
  return hunks
}

/** `@@ text @@`, `@@ text` or a unified diff's `@@ -1,2 +3,4 @@ text`. */
function hunkHead(row: string): { hint: string; number: number | undefined } {
  const unified = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@(.*)$/.exec(row)
  if (unified) {
    const [, number, count] = unified
    // What a unified diff writes behind its numbers is some line above, not one that stands just before.
    return { hint: '', number: Number(number) + (count === '0' ? 1 : 0) }
  }
  const hint = row.slice(2).trim().replace(/@@$/, '').trim()
  return { hint, number: undefined }
}

function hunkLines(rows: readonly string[]): Pick<Hunk, 'lines' | 'looseBlanks'> {
  const looseBlanks = rows.length - 1 - rows.findLastIndex((row) => row !== '')
  return { lines: rows.map(hunkLine), looseBlanks }
}

/** A line without a sign is taken for context: models forget the blank before it, above all on empty lines. */
function hunkLine(row: string): HunkLine {
  if (row.startsWith('+')) return { kind: 'add', text: row.slice(1) }
  if (row.startsWith('-')) return { kind: 'remove', text: row.slice(1) }
  return { kind: 'context', text: row.startsWith(' ') ? row.slice(1) : row }
}

function isEndNote(row: string): boolean {
  return row.startsWith('\\ No newline')
}
