import { Editor } from '@earendil-works/pi-tui/dist/components/editor.js'
import { getKeybindings } from '@earendil-works/pi-tui/dist/keybindings.js'
import type { TUI } from '@earendil-works/pi-tui/dist/tui.js'
import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'
import type { Theme } from '../theme.ts'

/** Marks the rows that the library draws around the text, so that they can be told from it. */
const border = '\u0000border'

/** Ctrl-E. */
const lineEnd = '\u0005'

/** The input: the library's multi-line editor, behind a prompt symbol in place of its frame. */
export class PromptEditor extends Editor {
  readonly #prompt: string
  readonly #indent: string
  readonly #dim: (text: string) => string
  /** Whether the selection in the completion list was moved by the person. */
  #picked = false

  constructor(tui: TUI, theme: Theme) {
    super(
      tui,
      {
        borderColor: (text) => text,
        selectList: {
          selectedPrefix: theme.accent,
          selectedText: theme.accent,
          description: theme.dim,
          scrollInfo: theme.dim,
          noMatch: theme.dim,
        },
      },
      { autocompleteMaxVisible: 7 },
    )
    this.#prompt = promptOf(theme)
    this.#indent = ' '.repeat(visibleWidth(this.#prompt))
    this.#dim = theme.dim
  }

  override handleInput(data: string): void {
    const keys = getKeybindings()
    const moves = keys.matches(data, 'tui.select.up') || keys.matches(data, 'tui.select.down')
    if (
      this.isShowingAutocomplete() &&
      keys.matches(data, 'tui.input.submit') &&
      !this.#picked &&
      this.#hasArgument()
    ) {
      // What was typed counts, not the first of the list, unless the person went to it.
      super.handleInput('\u001b')
    }
    this.#picked = this.isShowingAutocomplete() && (moves || this.#picked)
    const before = this.getText()
    super.handleInput(data)
    // Up brings an earlier message with the cursor before it; it is mostly its end that is changed.
    if (keys.matches(data, 'tui.editor.cursorUp') && this.getText() !== before) super.handleInput(lineEnd)
  }

  #hasArgument(): boolean {
    const { line, col } = this.getCursor()
    return /^\/\S+\s+\S|@\S*$/.test((this.getLines()[line] ?? '').slice(0, col))
  }

  protected override renderTopBorder(_width: number, hidden: number): string {
    return `${border}${hidden > 0 ? this.#dim(`↑ ${hidden} more`) : ''}`
  }

  protected override renderBottomBorder(_width: number, hidden: number): string {
    return `${border}${hidden > 0 ? this.#dim(`↓ ${hidden} more`) : ''}`
  }

  override render(width: number): string[] {
    const rows = super.render(Math.max(1, width - this.#indent.length))
    const end = rows.findLastIndex((row) => row.startsWith(border))
    let prompt = this.#prompt
    return rows.flatMap((row, index) => {
      const isBorder = index === 0 || index === end
      if (isBorder && row === border) return []
      if (isBorder) return [`${this.#indent}${row.slice(border.length)}`]
      const begin = index < end ? prompt : this.#indent
      if (index < end) prompt = this.#indent
      return [`${begin}${row}`.trimEnd()]
    })
  }
}

/** What stands before the input. */
export function promptOf({ prompt, skin }: Pick<Theme, 'prompt' | 'skin'>): string {
  return `${prompt(skin.promptSymbol)} `
}
