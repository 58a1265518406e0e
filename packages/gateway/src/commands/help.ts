import { oneLine } from '@hermes/core/text/one-line.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { allCommands, findCommand } from './registry.ts'

/** Skills that the short list names. */
const someSkills = 10

export const help: ChatCommand = {
  name: 'help',
  args: '[command]',
  summary: 'What can be done here',
  async run(call) {
    if (call.args !== '') return helpOn(call)
    const [own, skills] = [await ownLines(), await skillLines(call, oneLine)]
    const more = skills.length > someSkills ? [`… and ${skills.length - someSkills} more: /commands`] : []
    return [...own, ...(skills.length > 0 ? ['', 'Skills:', ...skills.slice(0, someSkills), ...more] : [])].join('\n')
  },
}

export const commands: ChatCommand = {
  name: 'commands',
  args: '[page]',
  summary: 'Everything that can be written with a slash, page by page',
  async run(call) {
    if (!/^\d*$/.test(call.args)) return `Say a page by its number: /commands 2. About one command: /help ${call.args}`
    const all = [...(await ownLines()), ...quickLines(call), ...(await skillLines(call, oneLine))]
    const perPage = call.message.source.platform === 'telegram' ? 15 : 20
    const pages = Math.max(1, Math.ceil(all.length / perPage))
    const page = Math.min(pages, Math.max(1, Number.parseInt(call.args, 10) || 1))
    const shown = all.slice((page - 1) * perPage, page * perPage)
    const next = page < pages ? [`Next: /commands ${page + 1}`] : []
    return [`Commands, page ${page} of ${pages}:`, ...shown, ...next].join('\n')
  },
}

async function helpOn(call: CommandCall): Promise<string> {
  const name = call.args.toLowerCase().replace(/^[/!]/, '').replaceAll('_', '-')
  const command = await findCommand(name)
  if (command) {
    const { aliases = [] } = command
    const also = aliases.length > 0 ? [`Also: ${aliases.map((alias) => `/${alias}`).join(', ')}`] : []
    return [ownLine(command), ...also].join('\n')
  }
  const others = [...quickLines(call), ...(await skillLines(call, (description) => description))]
  const found = others.find((line) => line.startsWith(`${startOf(call)}${name}: `))
  return found ?? `There is no command /${name}. /commands lists them.`
}

/** What the person's own commands and skills begin with in this chat; those of the agent are known by their names. */
function startOf({ chats, message }: CommandCall): string {
  return chats.platform(message.source.platform)?.commandStart ?? '/'
}

function ownLine({ name, args, summary }: ChatCommand): string {
  return `/${name}${args ? ` ${args}` : ''}: ${summary}`
}

async function ownLines(): Promise<readonly string[]> {
  return (await allCommands()).map(ownLine)
}

function quickLines(call: CommandCall): readonly string[] {
  return Object.entries(call.agent.config.quick_commands).map(([name, { type, ...more }]) => {
    const what = type === 'alias' ? `stands for ${String(more['target'])}` : 'a command of your own'
    return `${startOf(call)}${name}: ${what}`
  })
}

/** In lists the beginning of what a skill is for, so that they stay short: `/help SKILL` tells all of it. */
async function skillLines(call: CommandCall, told: (description: string) => string): Promise<readonly string[]> {
  const { skillCommands } = await import('@hermes/core/skills/skill-commands.ts')
  const skills = await skillCommands({ ...call.agent, platform: call.message.source.platform })
  return skills.map(({ command, description }) => `${startOf(call)}${command}: ${told(description)}`)
}
