import { CURSOR_MARKER } from '@earendil-works/pi-tui/dist/tui.js'
import { decodePrintableKey, matchesKey } from '@earendil-works/pi-tui/dist/keys.js'
import { truncateToWidth } from '@earendil-works/pi-tui/dist/utils.js'
import { cleanLine } from '../clean-text.ts'
import type { DecisionPanel, PanelOptions } from './panel-options.ts'

/** Longest secret taken, characters. */
const maxLength = 4096

/** What terminals put around pasted text. */
const pasteBegin = '\u001b[200~'
const pasteEnd = '\u001b[201~'

/** Asks for a secret: what is typed or pasted is not shown, not even its length. */
export class SecretPanel implements DecisionPanel {
  focused = false
  readonly #options: PanelOptions<'secret'>
  #value = ''

  constructor(options: PanelOptions<'secret'>) {
    this.#options = options
  }

  handleInput(data: string): void {
    const { answer, isArmed } = this.#options
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) {
      answer({ kind: 'secret', value: undefined, outcome: 'unavailable' })
    } else if (!isArmed()) {
      return
    } else if (matchesKey(data, 'enter')) {
      answer({ kind: 'secret', value: this.#value, outcome: 'answered' })
    } else if (matchesKey(data, 'backspace')) {
      this.#value = Array.from(this.#value).slice(0, -1).join('')
    } else if (matchesKey(data, 'ctrl+u')) {
      this.#value = ''
    } else {
      this.#value = `${this.#value}${typedText(data)}`.slice(0, maxLength)
    }
  }

  render(width: number): string[] {
    const { request, theme, timeLeft } = this.#options
    const cursor = this.focused ? CURSOR_MARKER : ''
    const state = this.#value === '' ? '' : theme.dim('(hidden) ')
    const rows = [
      '',
      theme.warn(`  ${cleanLine(request.prompt)}`),
      `  ${theme.accent(theme.skin.promptSymbol)} ${state}${cursor}`,
      theme.dim(`  Not shown and not stored. Enter sends, Esc refuses · ${Math.ceil(timeLeft() / 1000)}s`),
    ]
    return rows.map((row) => (row.includes(CURSOR_MARKER) ? row : truncateToWidth(row, width, '…')))
  }

  invalidate(): void {}
}

/** The text that a key or a paste stands for; nothing for keys that stand for none. */
function typedText(data: string): string {
  if (data.startsWith(pasteBegin)) return data.slice(pasteBegin.length).replace(pasteEnd, '').trim()
  const key = decodePrintableKey(data)
  if (key !== undefined) return key
  return (data.codePointAt(0) ?? 0) >= 32 && data !== '\u007f' ? data : ''
}
