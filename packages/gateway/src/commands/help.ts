import type { ChatCommand } from './command.ts'
import { allCommands } from './registry.ts'

export const help: ChatCommand = {
  name: 'help',
  aliases: ['commands'],
  summary: 'List the commands',
  async run() {
    const commands = await allCommands()
    return commands.map(({ name, args, summary }) => `/${name}${args ? ` ${args}` : ''}: ${summary}`).join('\n')
  },
}
