import { sliceByColumn, visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'
import { cleanLine } from '../../repl/clean-text.ts'

export interface Column {
  readonly heading: string
  /** Most cells that it takes on a terminal; as many as its widest text where absent. */
  readonly most?: number
  /** Takes what the terminal has left, and is cut to it. */
  readonly isFlexible?: boolean
}

/** Cells between columns. */
const gap = 2

/** Least width of the flexible column; a narrower terminal wraps. */
const leastFlexible = 12

/**
 * Lays out a table by what characters take on the screen: Chinese two cells, marks none. On a terminal of `width` cells
 * texts are cut to fit; without a width (a file, a pipe) nothing is cut.
 */
export function columnLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): string[] {
  const table = [columns.map(({ heading }) => heading), ...rows.map((row) => row.map(cleanLine))]
  const widths = columns.map(({ most }, i) => {
    const widest = Math.max(...table.map((row) => visibleWidth(row[i] ?? '')))
    return width === undefined || most === undefined ? widest : Math.min(widest, most)
  })
  const flexible = columns.findIndex(({ isFlexible }) => isFlexible)
  if (width !== undefined && flexible >= 0) {
    const others = widths.reduce((sum, each, i) => (i === flexible ? sum : sum + each + gap), 0)
    widths[flexible] = Math.min(widths[flexible]!, Math.max(leastFlexible, width - others))
  }
  return table.map((row) =>
    row
      .map((text, i) => cell(text, widths[i]!))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
}

function cell(text: string, width: number): string {
  const cut = cutToWidth(text, width)
  return cut + ' '.repeat(Math.max(0, width - visibleWidth(cut)))
}

/** Text without control characters, cut to `width` cells; what is cut ends in `…`. */
export function cutToWidth(text: string, width: number): string {
  return visibleWidth(text) <= width ? text : `${sliceByColumn(text, 0, width - 1, true)}…`
}
