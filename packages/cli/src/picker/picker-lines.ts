import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'
import { cutToWidth } from '../commands/sessions/columns.ts'
import { cleanLine } from '../repl/clean-text.ts'
import { type PickerState, type TextOf, shownItems } from './picker-state.ts'

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** How items of a kind are picked from. */
export interface PickerView<Item> {
  /** What they are, e.g. `Sessions`. */
  readonly title: string
  /** Said where none passes the filter. */
  readonly nothing: string
  /** What Enter does, e.g. `go on with it`. */
  readonly choose: string
  /** What the filter looks into. */
  readonly textOf: TextOf<Item>
  /** A heading and a line for each item, at most `width` cells. */
  table(items: readonly Item[], width: number): readonly string[]
}

/** The prompt and the heading. */
const rowsAbove = 2

/** An empty row and the keys. */
const rowsBelow = 2

/** The picker's screen, one string a row, none wider than the screen. */
export function pickerLines<Item>(state: PickerState<Item>, size: ScreenSize, view: PickerView<Item>): string[] {
  const items = shownItems(state, view.textOf)
  const room = Math.max(1, size.rows - rowsAbove - rowsBelow)
  // The selected row is kept in the middle where the list is longer than the screen.
  const first = Math.max(0, Math.min(state.selected - Math.floor(room / 2), items.length - room))
  const [heading = '', ...rows] = view.table(items.slice(first, first + room), size.columns - 2)
  const list = rows.map((row, i) => `${first + i === state.selected ? '>' : ' '} ${row}`)
  const prompt = state.filter === '' ? `${view.title} (${items.length})` : `Filter: ${cleanLine(state.filter)}`
  const lines = [
    prompt,
    `  ${heading}`,
    ...(list.length > 0 ? list : [`  ${view.nothing}`]),
    ...Array.from({ length: Math.max(0, room - Math.max(1, list.length)) }, () => ''),
    '',
    `↑↓ move · type to filter · Enter ${view.choose} · Esc back · q quit`,
  ].map((line) => cutToWidth(line, size.columns))
  const marked = list.length > 0 ? rowsAbove + state.selected - first : -1
  return lines.map((line, i) => (i === marked ? reversed(line, size.columns) : line))
}

function reversed(text: string, columns: number): string {
  return `\u001b[7m${text}${' '.repeat(Math.max(0, columns - visibleWidth(text)))}\u001b[0m`
}
