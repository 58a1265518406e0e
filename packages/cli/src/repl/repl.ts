import { homedir } from 'node:os'
import { paintFirst, setRawMode } from './first-paint.ts'
import type { ReplOptions } from './repl-options.ts'
import { defaultSkin } from './skin.ts'
import { colorLevelOf, createTheme } from './theme.ts'

export type { ReplOptions } from './repl-options.ts'

/**
 * The conversation with a person at a terminal, or with a script on standard input. Resolves to the exit code. Shows
 * its prompt before anything is loaded or opened; throws what opening the agent throws.
 */
export async function startRepl(options: ReplOptions): Promise<number> {
  const { cli } = options
  const canDraw = cli.stdin.isTTY && cli.stdout.isTTY && cli.environment['TERM'] !== 'dumb'
  if (!canDraw) {
    const { runPlainFace } = await import('./plain/plain-face.ts')
    return runPlainFace(options)
  }
  const theme = createTheme(defaultSkin, colorLevelOf(cli.environment))
  const facts = {
    version: options.version,
    cwd: options.cwd,
    homeDir: cli.environment['HOME'] ?? homedir(),
    model: options.turn.model,
  }
  const paint = paintFirst(facts, theme, cli)
  try {
    const { runTerminalFace } = await import('./tui/terminal-face.ts')
    return await runTerminalFace(options, { theme, facts, paint })
  } finally {
    setRawMode(cli.stdin, false)
  }
}
