import { matchesKey } from '@earendil-works/pi-tui/dist/keys.js'
import { truncateToWidth } from '@earendil-works/pi-tui/dist/utils.js'
import type { ApprovalChoice } from '@hermes/core/agent/decision.ts'
import { cleanLine } from '../clean-text.ts'
import type { DecisionPanel, PanelOptions } from './panel-options.ts'
import { TextBlock } from './text-block.ts'
import { visibleText } from '../visible-text.ts'

const choices: Readonly<Record<ApprovalChoice, { readonly key: 'o' | 's' | 'a' | 'd'; readonly label: string }>> = {
  once: { key: 'o', label: 'Allow once' },
  session: { key: 's', label: 'Allow for this session' },
  always: { key: 'a', label: 'Always allow' },
  deny: { key: 'd', label: 'Deny' },
}

/** Most rows of the subject that are shown at first. */
const subjectRows = 8

/** Asks for consent. Closing it, or no answer in time, denies. */
export class ApprovalPanel implements DecisionPanel {
  focused = false
  readonly #options: PanelOptions<'approval'>
  readonly #choices: readonly ApprovalChoice[]
  readonly #subject: TextBlock
  #selected: number
  #isWhole = false

  constructor(options: PanelOptions<'approval'>) {
    const { request, theme } = options
    this.#options = options
    this.#choices = request.choices.includes('deny') ? request.choices : [...request.choices, 'deny']
    this.#selected = this.#choices.indexOf('deny')
    this.#subject = new TextBlock(visibleText(request.subject), { paint: theme.bold, prefix: '    ' })
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return this.#answer('deny')
    if (!this.#options.isArmed()) return undefined
    const last = this.#choices.length - 1
    if (matchesKey(data, 'up') || matchesKey(data, 'left'))
      this.#selected = this.#selected === 0 ? last : this.#selected - 1
    if (matchesKey(data, 'down') || matchesKey(data, 'right'))
      this.#selected = this.#selected === last ? 0 : this.#selected + 1
    if (matchesKey(data, 'v')) this.#isWhole = true
    const picked = matchesKey(data, 'enter')
      ? this.#choices[this.#selected]
      : this.#choices.find(
          (choice) => matchesKey(data, choices[choice].key) || data === choices[choice].key.toUpperCase(),
        )
    return picked && this.#answer(picked)
  }

  render(width: number): string[] {
    const { request, theme, timeLeft, isArmed } = this.#options
    const subject = this.#subject.render(width)
    const hidden = this.#isWhole ? 0 : Math.max(0, subject.length - subjectRows)
    const rows = [
      '',
      theme.warn(`  Allow this? ${cleanLine(request.reason)}`),
      ...subject.slice(0, subject.length - hidden),
      ...(hidden > 0 ? [theme.dim(`    … ${hidden} more lines, v shows them`)] : []),
      ...this.#choices.map((choice, index) => this.#choiceRow(choice, index)),
      theme.dim(
        `  ${isArmed() ? `denied in ${Math.ceil(timeLeft() / 1000)}s` : 'you were typing: stop for a moment to answer'}`,
      ),
    ]
    return rows.map((row) => truncateToWidth(row, width, '…'))
  }

  invalidate(): void {
    this.#subject.invalidate()
  }

  #choiceRow(choice: ApprovalChoice, index: number): string {
    const { theme } = this.#options
    const { key, label } = choices[choice]
    const isSelected = index === this.#selected
    const mark = isSelected ? theme.accent(theme.skin.promptSymbol) : ' '
    return `  ${mark} ${theme.dim(`[${key}]`)} ${isSelected ? theme.accent(label) : label}`
  }

  #answer(choice: ApprovalChoice): void {
    this.#options.answer({ kind: 'approval', choice })
  }
}
