import { createInterface } from 'node:readline/promises'
import { type Cli, CommandError } from '../../command.ts'

/**
 * Asks before something is deleted; only `y` or `yes` is a yes. Throws `CommandError` where nobody can be asked, so that
 * a script has to say `--yes`.
 */
export async function confirm(question: string, cli: Cli): Promise<boolean> {
  if (!cli.stdin.isTTY) throw new CommandError(`${question} Nobody can be asked here: say --yes to do it.`)
  const lines = createInterface({ input: cli.stdin, output: cli.stderr, terminal: false })
  try {
    const closed = new Promise<string>((resolve) => void lines.once('close', () => resolve('')))
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal: cli.signal }), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
