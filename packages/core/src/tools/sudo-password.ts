import { randomUUID } from 'node:crypto'
import type { Command, Script } from '../security/commands/syntax.ts'
import type { ToolContext } from './tool.ts'

/** A command, with what it gets to read where it needs the password for `sudo`. */
export interface PreparedCommand {
  readonly command: string
  readonly stdin?: string
}

/**
 * Lets `sudo` in a command have the person's password. It is handed over on standard input and used up before the
 * command itself begins, so that no program of the command can read it, and it is in no argument and no variable that
 * programs see. `sudo` remembers for a while, as it does in a terminal. Without a password the command stays as it is.
 */
export async function withSudoPassword(
  command: string,
  context: ToolContext,
  isRoot = process.getuid?.() === 0,
): Promise<PreparedCommand> {
  if (isRoot || !/\bsudo\b/.test(command)) return { command }
  if (!(await callsSudo(command))) return { command }
  const password = await passwordFor(context)
  if (password === undefined) return { command }
  const confirm = [
    'IFS= read -r __hermes_sudo',
    `command sudo -S -p '' -v 2>/dev/null <<__HERMES_SUDO__\n$__hermes_sudo\n__HERMES_SUDO__`,
    'unset __hermes_sudo',
  ]
  return { command: `${confirm.join('\n')}\n${command}`, stdin: `${password}\n` }
}

/** From the environment, from an earlier question in this session, or from the person. */
async function passwordFor({ agent, session, decide, signal }: ToolContext): Promise<string | undefined> {
  const known = agent.environment['SUDO_PASSWORD'] ?? session.sudoPassword
  if (known !== undefined) return known
  if (agent.config.terminal.sudo_password !== '') return agent.config.terminal.sudo_password
  const answer = await decide({ kind: 'secret', id: randomUUID(), prompt: 'Password for sudo' }, signal)
  if (answer.kind !== 'secret' || answer.outcome !== 'answered' || answer.value === undefined) return undefined
  agent.redactor.addKnown([answer.value])
  session.sudoPassword = answer.value
  return answer.value
}

async function callsSudo(command: string): Promise<boolean> {
  const { parseCommandLine } = await import('../security/commands/parser.ts')
  const { CommandSyntaxError } = await import('../security/commands/syntax.ts')
  const { bodiesOf } = await import('../security/commands/nested-scripts.ts')
  const inScript = (script: Script): boolean => script.pipelines.some(({ commands }) => commands.some(inCommand))
  const inCommand = (each: Command): boolean => {
    if (each.type !== 'simple') return bodiesOf(each).some(inScript)
    const [part, ...others] = each.words[0]?.parts ?? []
    return part?.type === 'text' && part.text === 'sudo' && others.length === 0
  }
  try {
    return inScript(parseCommandLine(command))
  } catch (error) {
    if (error instanceof CommandSyntaxError) return false
    throw error
  }
}
