import type { Verdict } from '@hermes/core/security/check/verdict.ts'
import type { Cli, CommandInput, OptionSpec } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'

export const jsonOption: Readonly<Record<'json', OptionSpec>> = {
  json: { type: 'boolean', description: 'Print JSON' },
}

const words: Readonly<Record<Verdict['decision'], string>> = {
  allowed: 'allowed',
  asks: 'asks you',
  denied: 'refused',
}

/** Prints a verdict and says it as an exit code: 0 for what goes ahead by itself, 1 for anything else. */
export async function tell(
  verdict: Verdict,
  { options }: CommandInput,
  cli: Cli,
  details: readonly string[] = [],
): Promise<number> {
  if (options['json'] === true) await writeJson(cli, verdict)
  else await writeOut(cli, verdictText(verdict, details))
  return verdict.decision === 'allowed' ? 0 : 1
}

/** A line, with more lines below it. */
export function verdictText({ decision, reason }: Verdict, details: readonly string[] = [], what = ''): string {
  const first = `${what === '' ? '' : `${what}: `}${words[decision]}: ${reason.replace(/\.$/, '')}.`
  return `${[first, ...details.map((line) => `  ${line}`)].map(cleanText).join('\n')}\n`
}
