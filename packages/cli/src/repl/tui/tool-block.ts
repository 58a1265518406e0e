import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui/dist/utils.js'
import type { ToolStatus } from '@hermes/core/tools/tool.ts'
import { seconds } from '../../tool-line.ts'
import { cleanLine } from '../clean-text.ts'
import type { Theme } from '../theme.ts'
import type { Block } from './screen.ts'

export interface ToolOutcome {
  readonly status: ToolStatus
  readonly durationMs: number
  /** Why it failed, one line. */
  readonly problem?: string
}

/** One tool call as a line: `┊ terminal  npm test  ✓ 1.2s`, and below it while it runs what it says. */
export class ToolBlock implements Block {
  final = false
  readonly steady = true
  readonly #theme: Theme
  readonly #name: string
  readonly #preview: string
  readonly #gap: boolean
  readonly #startedAt: number
  #outcome: ToolOutcome | undefined
  #progress = ''
  #drawn: { readonly key: string; readonly lines: readonly string[] } | undefined

  constructor(
    call: { readonly name: string; readonly preview: string },
    { theme, gap, startedAt }: { readonly theme: Theme; readonly gap: boolean; readonly startedAt: number },
  ) {
    this.#theme = theme
    this.#name = cleanLine(call.name)
    this.#preview = cleanLine(call.preview)
    this.#gap = gap
    this.#startedAt = startedAt
  }

  /** The last line that the running call said, cleaned. */
  progress(line: string): void {
    this.#progress = line
  }

  end(outcome: ToolOutcome | undefined): void {
    this.#outcome = outcome
    this.#progress = ''
    this.final = true
  }

  render(width: number): readonly string[] {
    const state = this.#state()
    const key = `${width} ${state} ${this.#progress}`
    if (this.#drawn?.key !== key) this.#drawn = { key, lines: this.#draw(width, state) }
    return this.#drawn.lines
  }

  invalidate(): void {
    this.#drawn = undefined
  }

  #draw(width: number, state: string): readonly string[] {
    const { theme } = this
    const prefix = `${theme.dim(theme.skin.toolPrefix)} `
    const name = theme.label(this.#name)
    const room = width - visibleWidth(`${prefix}${name}`) - visibleWidth(state) - 4
    const preview = this.#preview && room > 3 ? `  ${truncateToWidth(this.#preview, room, '…')}` : ''
    const lines = [truncateToWidth(`${prefix}${name}${preview}  ${state}`, width, '…')]
    const below = this.#outcome?.problem ?? this.#progress
    if (below) lines.push(truncateToWidth(`${prefix}  ${theme.dim(below)}`, width, '…'))
    return this.#gap ? ['', ...lines] : lines
  }

  #state(): string {
    const { theme } = this
    if (this.#outcome) {
      const { status, durationMs } = this.#outcome
      const time = seconds(durationMs)
      if (status === 'ok') return theme.ok(`✓ ${time}`)
      if (status === 'error') return theme.error(`✗ ${time}`)
      return theme.warn(`⊘ ${status} ${time}`)
    }
    return this.final
      ? theme.dim('·')
      : theme.dim(`… ${seconds(performance.now() - this.#startedAt).replace(/\.\d/, '')}`)
  }

  get theme(): Theme {
    return this.#theme
  }
}
