import type { ToolProgress } from '../view.ts'
import type { SlashCommand } from './slash-command.ts'

/** In the order in which they follow each other, with what each means. */
const modes: readonly (readonly [ToolProgress, string])[] = [
  ['off', 'tool calls are not shown'],
  ['new', 'a tool call is shown when it is another tool than before'],
  ['all', 'every tool call is shown'],
  ['verbose', 'every tool call is shown with its output'],
]

export const verbose: SlashCommand = {
  name: 'verbose',
  args: '[off|new|all|verbose]',
  summary: 'How much of the tool calls is shown',
  category: 'Configuration',
  duringTurn: true,
  async complete(prefix) {
    return modes.filter(([mode]) => mode.startsWith(prefix)).map(([value, description]) => ({ value, description }))
  },
  async run(args, chat) {
    const current = modes.findIndex(([mode]) => mode === chat.viewSettings.toolProgress)
    const named = modes.find(([mode]) => mode === args.toLowerCase())
    if (args !== '' && !named) {
      chat.view.print(`There is no mode "${args}". There are: ${modes.map(([mode]) => mode).join(', ')}`, 'warning')
      return
    }
    const [mode, meaning] = named ?? modes[(current + 1) % modes.length] ?? ['all', '']
    chat.viewSettings = { ...chat.viewSettings, toolProgress: mode }
    chat.view.print(`Tool calls: ${mode} (${meaning})`)
  },
}
