/** Between two entries of a memory file, in upstream's format. */
const separator = '\n§\n'

const rule = '═'.repeat(46)

/** Longest block that goes into the prompt, characters, for files that people let grow beyond the limit. */
const maxBlockChars = 20_000

/** A line that is nothing but the sign. */
const separatorLine = /(?:^|\n)§(?=\n|$)/

/** The entries of a memory file: trimmed, without empty ones and repetitions. A byte order mark and CRLF are no harm. */
export function parseEntries(text: string): string[] {
  return [...new Set(pieces(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')))]
}

/** Trimming can leave a piece with a separating line at its end, which parts it again. */
function pieces(text: string): string[] {
  const trimmed = text.split(separatorLine).map((piece) => piece.trim())
  return trimmed.flatMap((piece) => (piece === '' ? [] : separatorLine.test(piece) ? pieces(piece) : [piece]))
}

/** The file's text for some entries. */
export function joinEntries(entries: readonly string[]): string {
  return entries.join(separator)
}

/** Whether a text can be one entry: a line of its own with `§` would part it in two when it is read. */
export function isOneEntry(text: string): boolean {
  return parseEntries(text).length === 1 && parseEntries(text)[0] === text
}

/** Characters as people and upstream count them: code points. */
export function countChars(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** e.g. `67% — 1,474/2,200 chars`. */
export function usageText(usedChars: number, limitChars: number): string {
  const percent = limitChars > 0 ? Math.min(100, Math.floor((usedChars / limitChars) * 100)) : 0
  return `${percent}% — ${grouped(usedChars)}/${grouped(limitChars)} chars`
}

/** The prompt's block for one file; empty when it has no entries. */
export function promptBlock(title: string, entries: readonly string[], limitChars: number): string {
  if (entries.length === 0) return ''
  const joined = joinEntries(entries)
  const header = `${title} [${usageText(countChars(joined), limitChars)}]`
  return [rule, header, rule, bounded(entries, joined)].join('\n')
}

function bounded(entries: readonly string[], joined: string): string {
  const kept = shownEntries(entries)
  if (kept.length === entries.length) return joined
  const left = `[${entries.length - kept.length} more entries are left out: the file is far over its limit. Shorten it.]`
  return joinEntries([...kept, left])
}

/** The entries that have room in the prompt's block: the first ones. */
export function shownEntries(entries: readonly string[]): readonly string[] {
  let chars = -separator.length
  const end = entries.findIndex((entry) => (chars += entry.length + separator.length) > maxBlockChars)
  return end === -1 ? entries : entries.slice(0, end)
}

function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
