import { truncateToWidth } from '@earendil-works/pi-tui/dist/utils.js'
import type { Paint, Theme } from '../theme.ts'
import type { Block } from './screen.ts'

/** Most lines of a diff that are shown. */
const maxLines = 40

/** What changed in files: a unified diff, each of its lines on one row. */
export class DiffBlock implements Block {
  readonly final = true
  readonly steady = true
  readonly #lines: readonly string[]
  readonly #theme: Theme

  /** `diff` is clean. */
  constructor(diff: string, theme: Theme) {
    const lines = diff.replaceAll('\t', '    ').trimEnd().split('\n')
    const left = lines.length - maxLines
    this.#lines = left > 0 ? [...lines.slice(0, maxLines), `… ${left} more lines`] : lines
    this.#theme = theme
  }

  render(width: number): string[] {
    const prefix = `${this.#theme.dim(this.#theme.skin.toolPrefix)}   `
    return this.#lines.map((line) => truncateToWidth(`${prefix}${this.#paintOf(line)(line)}`, width, '…'))
  }

  invalidate(): void {}

  #paintOf(line: string): Paint {
    if (/^(?:\+\+\+|---) /.test(line)) return this.#theme.dim
    if (line.startsWith('+')) return this.#theme.ok
    if (line.startsWith('-')) return this.#theme.error
    return line.startsWith('@@') ? this.#theme.label : this.#theme.dim
  }
}
