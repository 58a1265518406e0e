import { indentOf } from './line-forms.ts'

/**
 * New lines that were written beside `wanted`, moved to where those lines really stand in the file: as deep as `actual`.
 */
export function reindented(lines: readonly string[], wanted: readonly string[], actual: readonly string[]): string[] {
  const moves = new Map<string, string>()
  for (const [index, line] of wanted.entries()) {
    const real = actual[index]
    if (line.trim() !== '' && real !== undefined && !moves.has(indentOf(line)))
      moves.set(indentOf(line), indentOf(real))
  }
  const [first] = moves
  if (!first || [...moves].every(([from, to]) => from === to)) return [...lines]
  return lines.map((line) => {
    const indent = indentOf(line)
    if (indent.length === line.length) return line
    return (moves.get(indent) ?? moved(indent, first)) + line.slice(indent.length)
  })
}

/** An indentation that none of the old lines has, by what became of another one. */
function moved(indent: string, [from, to]: readonly [string, string]): string {
  if (indent.startsWith(from)) return to + converted(indent.slice(from.length), from, to)
  if (from.startsWith(indent)) return to.slice(0, Math.max(0, to.length - (from.length - indent.length)))
  return indent
}

/** Deeper levels in the file's own kind of indentation, where the two kinds can be told. */
function converted(extra: string, from: string, to: string): string {
  const isFromSpacesToTabs = /^ +$/.test(from) && /^\t+$/.test(to) && from.length % to.length === 0
  const width = isFromSpacesToTabs ? from.length / to.length : 0
  return width > 0 && extra.length % width === 0 ? '\t'.repeat(extra.length / width) : extra
}
