import { columnLines } from './columns.ts'

/** Rows of a section, so that several fit a screen or two. */
const shownRows = 10

/** A small table with its headings, cut after ten rows; nothing where there are no rows. */
export function section(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const lines = columnLines(
    headings.map((heading) => ({ heading })),
    rows.slice(0, shownRows),
  )
  return rows.length > shownRows ? [...lines, `… ${rows.length - shownRows} more with --json`] : lines
}

/** Sections with an empty line between them. */
export function joinSections(sections: readonly (readonly string[])[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** `12,345`. */
export function number(value: number): string {
  return value.toLocaleString('en-US')
}
