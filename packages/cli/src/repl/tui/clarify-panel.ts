import { Input } from '@earendil-works/pi-tui/dist/components/input.js'
import { matchesKey } from '@earendil-works/pi-tui/dist/keys.js'
import { truncateToWidth } from '@earendil-works/pi-tui/dist/utils.js'
import { cleanLine, cleanText } from '../clean-text.ts'
import type { DecisionPanel, PanelOptions } from './panel-options.ts'
import { TextBlock } from './text-block.ts'

/** Asks a question: the offered answers, and below them a line for another one. */
export class ClarifyPanel implements DecisionPanel {
  readonly #options: PanelOptions<'clarify'>
  readonly #question: TextBlock
  readonly #input: Input
  /** Index of the selected choice; the number of choices when the line is. */
  #selected = 0

  constructor(options: PanelOptions<'clarify'>) {
    this.#options = options
    const { request, theme } = options
    this.#question = new TextBlock(cleanText(request.question), { paint: theme.accent, prefix: '  ' })
    this.#input = new Input({
      prompt: '',
      placeholder: request.choices.length > 0 ? 'another answer' : 'your answer',
      placeholderStyle: theme.dim,
    })
  }

  get focused(): boolean {
    return this.#input.focused
  }

  set focused(focused: boolean) {
    this.#input.focused = focused
  }

  handleInput(data: string): void {
    const { answer, isArmed, request } = this.#options
    const count = request.choices.length
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) {
      answer({ kind: 'clarify', answer: undefined, outcome: 'unavailable' })
    } else if (!isArmed()) {
      return
    } else if (matchesKey(data, 'up')) {
      this.#selected = (this.#selected + count) % (count + 1)
    } else if (matchesKey(data, 'down')) {
      this.#selected = (this.#selected + 1) % (count + 1)
    } else if (matchesKey(data, 'enter')) {
      const text = request.choices[this.#selected] ?? this.#input.getValue().trim()
      if (text !== '') answer({ kind: 'clarify', answer: text, outcome: 'answered' })
    } else if (this.#selected < count && /^[1-9]$/.test(data) && Number(data) <= count) {
      this.#selected = Number(data) - 1
    } else {
      this.#selected = count
      this.#input.handleInput(data)
    }
  }

  render(width: number): string[] {
    const { request, theme, timeLeft } = this.#options
    const { promptSymbol } = theme.skin
    const mark = (index: number) => (index === this.#selected ? theme.accent(promptSymbol) : ' ')
    const [typed = ''] = this.#input.render(Math.max(1, width - 5))
    const rows = [
      '',
      ...this.#question.render(width),
      ...request.choices.map((choice, index) => {
        const label = `${index + 1}. ${cleanLine(choice)}`
        return `  ${mark(index)} ${index === this.#selected ? theme.accent(label) : label}`
      }),
      `  ${mark(request.choices.length)} ${typed}`,
      theme.dim(`  Enter answers, Esc skips · ${Math.ceil(timeLeft() / 1000)}s`),
    ]
    return rows.map((row) => truncateToWidth(row, width, '…').trimEnd())
  }

  invalidate(): void {
    this.#question.invalidate()
  }
}
