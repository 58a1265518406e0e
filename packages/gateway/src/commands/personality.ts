import type { ChatCommand, CommandCall } from './command.ts'
import { choicesOf } from './menu.ts'

export const personality: ChatCommand = {
  name: 'personality',
  args: '[name|none]',
  options: [{ name: 'name', about: 'A way of speaking, or none; they are listed without' }],
  summary: 'List the ways of speaking, or choose one',
  async run(call) {
    const { noPersonality, personalities } = await import('@hermes/core/context/personality.ts')
    const { config } = call.agent
    const known = personalities(config)
    const wanted = call.args.toLowerCase()
    const current = config.agent.system_prompt.trim()
    if (wanted === '') {
      // No columns: letters of chats have widths of their own.
      const lines = known.map(({ name, description, text }) => `${text === current ? '✓ ' : ''}${name}: ${description}`)
      const say = [...lines, '', 'Choose one: /personality NAME, or none'].join('\n')
      const names = [...known.map(({ name }) => name), 'none']
      const choices = names.map((name) => ({ label: name, args: name }))
      return { say, menu: choicesOf(lines.join('\n'), choices, personality, call) }
    }
    const isNone = noPersonality.includes(wanted)
    const chosen = known.find(({ name }) => name.toLowerCase() === wanted)
    if (!isNone && !chosen) {
      return `There is no personality "${call.args}". There are: ${known.map(({ name }) => name).join(', ')}, none`
    }
    if (current !== '' && known.every(({ text }) => text !== current)) {
      return 'agent.system_prompt has instructions of your own, which stay; take them out first.'
    }
    const problem = await keep(isNone ? '' : (chosen?.text ?? ''), call)
    return problem ?? `Personality: ${isNone ? 'none' : `${chosen?.name} (${chosen?.description})`}`
  },
}

function keep(value: string, { chats }: CommandCall): Promise<string | undefined> {
  return chats.live.change([{ path: ['agent', 'system_prompt'], value }])
}
