import type { Cli } from '../command.ts'
import { bannerLines } from './banner.ts'
import type { BannerFacts } from './banner.ts'
import type { Theme } from './theme.ts'

/** What is on the terminal after the first paint. */
export interface FirstPaint {
  /** The banner's lines; an empty line and the prompt are below them. */
  readonly banner: readonly string[]
  readonly rows: readonly string[]
  /** Columns that the prompt takes. */
  readonly promptWidth: number
}

/**
 * Shows banner and prompt with nothing loaded but this. The terminal is in raw mode afterwards: keys typed from now on
 * wait in its buffer until the editor reads them.
 */
export function paintFirst(
  facts: BannerFacts,
  theme: Theme,
  { stdin, stdout }: Pick<Cli, 'stdin' | 'stdout'>,
): FirstPaint {
  const { promptSymbol } = theme.skin
  const banner = bannerLines(facts, theme, (stdout.columns ?? 80) - 1)
  const rows = [...banner, '', `${theme.prompt(promptSymbol)} `]
  setRawMode(stdin, true)
  stdout.write(rows.join('\r\n'))
  return { banner, rows, promptWidth: promptSymbol.length + 1 }
}

/** Switches raw mode where the stream is a terminal that has it. */
export function setRawMode(stdin: Cli['stdin'], raw: boolean): void {
  if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(raw)
}
