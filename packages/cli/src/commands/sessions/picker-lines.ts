import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'
import type { Clock } from '@hermes/core/agent/clock.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { cutToWidth } from './columns.ts'
import { type PickerState, shownSessions } from './picker-state.ts'
import { sessionLines } from './session-lines.ts'

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

const keys = '↑↓ move · type to filter · Enter go on with it · Esc back · q quit'

/** The prompt and the heading. */
const rowsAbove = 2

/** An empty row and the keys. */
const rowsBelow = 2

/** The picker's screen, one string a row, none wider than the screen. */
export function pickerLines(state: PickerState, size: ScreenSize, clock: Clock): string[] {
  const sessions = shownSessions(state)
  const room = Math.max(1, size.rows - rowsAbove - rowsBelow)
  // The selected row is kept in the middle where the list is longer than the screen.
  const first = Math.max(0, Math.min(state.selected - Math.floor(room / 2), sessions.length - room))
  const [heading = '', ...rows] = sessionLines(sessions.slice(first, first + room), clock, size.columns - 2)
  const list = rows.map((row, i) => `${first + i === state.selected ? '>' : ' '} ${row}`)
  const prompt = state.filter === '' ? `Sessions (${sessions.length})` : `Filter: ${cleanLine(state.filter)}`
  const lines = [
    prompt,
    `  ${heading}`,
    ...(list.length > 0 ? list : ['  No session matches.']),
    ...Array.from({ length: Math.max(0, room - Math.max(1, list.length)) }, () => ''),
    '',
    keys,
  ].map((line) => cutToWidth(line, size.columns))
  const marked = list.length > 0 ? rowsAbove + state.selected - first : -1
  return lines.map((line, i) => (i === marked ? reversed(line, size.columns) : line))
}

function reversed(text: string, columns: number): string {
  return `\u001b[7m${text}${' '.repeat(Math.max(0, columns - visibleWidth(text)))}\u001b[0m`
}
