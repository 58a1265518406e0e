import type { Theme } from './theme.ts'

export interface BannerFacts {
  readonly version: string
  readonly cwd: string
  readonly homeDir: string
  /** As the command line names it. */
  readonly model: string | undefined
}

/** The REPL's first lines: what it is, where it works, how to use it. Each fits the width. */
export function bannerLines(
  { version, cwd, homeDir, model }: BannerFacts,
  theme: Theme,
  width: number,
): readonly string[] {
  const name = theme.skin.agentName
  const folder = cwd === homeDir || cwd.startsWith(`${homeDir}/`) ? `~${cwd.slice(homeDir.length)}` : cwd
  const facts = [`v${version}`, folder, ...(model ? [model] : [])].join(' · ')
  return [
    `${theme.title(fit(name, width))} ${theme.bannerDim(fit(facts, width - name.length - 1))}`.trimEnd(),
    theme.dim(fit('/help for commands · Alt+Enter for a new line · Ctrl-D leaves', width)),
  ]
}

/**
 * Cuts to the width, counting everything beyond Latin as two columns: what exactly a character takes is known only to
 * code that is not loaded yet.
 */
function fit(text: string, width: number): string {
  let used = 0
  let fitting = ''
  for (const char of text) {
    used += char < '\u0300' ? 1 : 2
    if (used > width) return fitting.slice(0, -1) + (fitting === '' ? '' : '…')
    fitting += /[\p{Cc}\p{Cf}]/u.test(char) ? '?' : char
  }
  return fitting
}
