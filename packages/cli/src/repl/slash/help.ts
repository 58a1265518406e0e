import type { SlashCommand } from './slash-command.ts'

const otherKeys: readonly (readonly [string, string])[] = [
  ['Alt+Enter, Ctrl+J, \\ at the end', 'new line'],
  ['Up, Down', 'earlier messages'],
  ['Tab', 'complete'],
  ['Ctrl+C', 'stop the turn; clear the input; leave'],
  ['Ctrl+D', 'leave'],
  ['Ctrl+Z', 'suspend'],
]

/** Lists the commands, or explains one. */
export const help: SlashCommand = {
  name: 'help',
  aliases: ['?'],
  args: '[command]',
  summary: 'What can be typed here',
  category: 'Info',
  duringTurn: true,
  async complete(prefix, { commands }) {
    return commands
      .filter((one) => one.name.startsWith(prefix))
      .map((one) => ({ value: one.name, description: one.summary }))
  },
  async run(args, { commands, view, agent }) {
    const wanted = args.replace(/^\//, '').toLowerCase()
    const one = commands.find((command) => command.name === wanted || command.aliases?.includes(wanted))
    if (one) {
      const others = one.aliases?.length ? `\nAlso: ${one.aliases.map((alias) => `/${alias}`).join(', ')}` : ''
      view.print(`${usageOf(one)}  ${one.summary}.${others}`)
      return
    }
    const waits = agent.config.display.busy_input_mode === 'queue'
    const enter = `send; while a turn runs, ${waits ? 'when it has ended' : 'it is stopped first (/queue waits for its end)'}`
    const keys = [['Enter', enter] as const, ...otherKeys]
    const width = Math.max(...commands.map((command) => usageOf(command).length), ...keys.map(([key]) => key.length))
    const groups = Map.groupBy(commands, (command) => command.category)
    const sections = [...groups].map(
      ([category, list]) =>
        `${category}\n${list.map((command) => row(usageOf(command), command.summary, width)).join('\n')}`,
    )
    view.print([...sections, `Keys\n${keys.map(([key, meaning]) => row(key, meaning, width)).join('\n')}`].join('\n\n'))
  },
}

function usageOf({ name, args }: SlashCommand): string {
  return `/${name}${args ? ` ${args}` : ''}`
}

function row(left: string, right: string, width: number): string {
  return `  ${left.padEnd(width)}  ${right}`
}
