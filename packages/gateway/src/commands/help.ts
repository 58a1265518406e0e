import type { ChatCommand, CommandCall } from './command.ts'
import { allCommands } from './registry.ts'

/** Skills that the short list names. */
const someSkills = 10

export const help: ChatCommand = {
  name: 'help',
  summary: 'What can be done here',
  async run(call) {
    const [own, skills] = [await ownLines(), await skillLines(call)]
    const more = skills.length > someSkills ? [`… and ${skills.length - someSkills} more: /commands`] : []
    return [...own, ...(skills.length > 0 ? ['', 'Skills:', ...skills.slice(0, someSkills), ...more] : [])].join('\n')
  },
}

export const commands: ChatCommand = {
  name: 'commands',
  args: '[page]',
  summary: 'Everything that can be written with a slash, page by page',
  async run(call) {
    const all = [...(await ownLines()), ...quickLines(call), ...(await skillLines(call))]
    const perPage = call.message.source.platform === 'telegram' ? 15 : 20
    const pages = Math.max(1, Math.ceil(all.length / perPage))
    const page = Math.min(pages, Math.max(1, Number.parseInt(call.args, 10) || 1))
    const shown = all.slice((page - 1) * perPage, page * perPage)
    const next = page < pages ? [`Next: /commands ${page + 1}`] : []
    return [`Commands, page ${page} of ${pages}:`, ...shown, ...next].join('\n')
  },
}

async function ownLines(): Promise<readonly string[]> {
  const all = await allCommands()
  return all.map(({ name, args, summary }) => `/${name}${args ? ` ${args}` : ''}: ${summary}`)
}

function quickLines({ agent }: CommandCall): readonly string[] {
  return Object.entries(agent.config.quick_commands).map(([name, { type, ...more }]) => {
    const what = type === 'alias' ? `stands for ${String(more['target'])}` : 'a command of your own'
    return `/${name}: ${what}`
  })
}

async function skillLines({ agent, message }: CommandCall): Promise<readonly string[]> {
  const { skillCommands } = await import('@hermes/core/skills/skill-commands.ts')
  const skills = await skillCommands({ ...agent, platform: message.source.platform })
  return skills.map(({ command, description }) => `/${command}: ${description}`)
}
