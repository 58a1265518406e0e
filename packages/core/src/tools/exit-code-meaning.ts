import type { Command, Script } from '../security/commands/syntax.ts'

/** Exit codes that are no failure, or say what failed, by program. */
const meanings: readonly (readonly [programs: RegExp, code: number, meaning: string])[] = [
  [/^(?:[efz]?grep|rg|ag|ack)$/, 1, 'no lines matched (not an error)'],
  [/^(?:color)?diff$/, 1, 'the files differ (not an error)'],
  [/^find$/, 1, 'some folders could not be read; the results may still be right'],
  [/^(?:test|\[)$/, 1, 'the condition is false (not an error)'],
  [/^git$/, 1, 'for git diff and the like: there are differences (often not an error)'],
  [/^curl$/, 6, 'the host could not be resolved'],
  [/^curl$/, 7, 'the connection was refused'],
  [/^curl$/, 22, 'the server answered with an error status'],
  [/^curl$/, 28, 'the request timed out'],
]

/** What a command's exit code means, where its last program gives it a meaning of its own. */
export async function exitCodeMeaning(command: string, exitCode: number): Promise<string | undefined> {
  const candidates = meanings.filter(([, code]) => code === exitCode)
  if (candidates.length === 0) return undefined
  const program = await lastProgram(command)
  return candidates.find(([programs]) => programs.test(program))?.[2]
}

async function lastProgram(command: string): Promise<string> {
  const { parseCommandLine } = await import('../security/commands/parser.ts')
  const { CommandSyntaxError } = await import('../security/commands/syntax.ts')
  try {
    return nameOf(lastCommand(parseCommandLine(command)))
  } catch (error) {
    if (error instanceof CommandSyntaxError) return ''
    throw error
  }
}

function lastCommand(script: Script): Command | undefined {
  return script.pipelines.at(-1)?.commands.at(-1)
}

function nameOf(command: Command | undefined): string {
  if (command?.type === 'group') return nameOf(lastCommand(command.body))
  if (command?.type !== 'simple') return ''
  const text = command.words[0]?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
  return text.slice(text.lastIndexOf('/') + 1)
}
