import type { Cli } from '../../command.ts'
import { wrap } from '../../help-text.ts'

/** Lines wider than this are hard to read, whatever the terminal is. */
const widest = 100

/** Tells a person something: at a terminal in lines of whole words, `first` before the first one, else in one line. */
export function tell({ stderr, stdout }: Pick<Cli, 'stderr' | 'stdout'>, text: string, first = ''): void {
  const width = stderr.isTTY ? Math.min(stdout.columns ?? 80, widest) - first.length : Infinity
  stderr.write(`${first}${wrap(text, width).join(`\n${' '.repeat(first.length)}`)}\n`)
}
