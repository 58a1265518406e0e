import type { AgentContext } from '@hermes/core/agent/context.ts'
import { menuSkills } from '../../commands/menu-skills.ts'
import { findCommand } from '../../commands/registry.ts'

/** Where the person's own quick commands and skills are. */
type CommandScope = Pick<AgentContext, 'home' | 'config' | 'environment'>

/**
 * What a slash command says as a message: `/hermes model x` is `/model x`, `/hermes` alone `/help`; what follows and is no
 * command, quick command or skill is an ordinary message. Commands that the app has under other names are taken by these:
 * `/hermes-stop` is `/stop`.
 */
export async function commandText(command: string, text: string, scope?: CommandScope): Promise<string> {
  const said = text.trim()
  const name = command.replace(/^\//, '').toLowerCase()
  if (name !== 'hermes') return `/${name.replace(/^hermes[-_]/, '')} ${said}`.trim()
  if (said === '') return '/help'
  const [first = ''] = said.split(/\s/)
  return (await isCommand(first.toLowerCase().replaceAll('_', '-'), scope)) ? `/${said}` : said
}

async function isCommand(name: string, scope: CommandScope | undefined): Promise<boolean> {
  if (await findCommand(name)) return true
  if (!scope) return false
  const { quick_commands: quick } = scope.config
  if (Object.keys(quick).some((key) => key.toLowerCase().replaceAll('_', '-') === name)) return true
  return (await menuSkills(scope, 'slack', new Set())).some(({ command }) => command === name)
}
