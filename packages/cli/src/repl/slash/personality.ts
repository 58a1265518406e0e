import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const personality: SlashCommand = {
  name: 'personality',
  args: '[name|none]',
  summary: 'List the ways of speaking, or choose one, also for sessions to come',
  category: 'Configuration',
  duringTurn: true,
  async complete(prefix, chat) {
    const known = await all(chat)
    const choices = [...known.map(({ name, description }) => ({ value: name, description })), { value: 'none' }]
    return choices.filter(({ value }) => value.startsWith(prefix.toLowerCase()))
  },
  async run(args, chat) {
    const { noPersonality } = await import('@hermes/core/context/personality.ts')
    const wanted = args.trim().toLowerCase()
    const known = await all(chat)
    if (wanted === '') {
      chat.view.print(listing(known, chat))
      return
    }
    if (noPersonality.includes(wanted)) {
      await choose('', known, chat)
      chat.view.print('Personality: none')
      return
    }
    const chosen = known.find(({ name }) => name.toLowerCase() === wanted)
    if (!chosen) {
      const names = known.map(({ name }) => name).join(', ')
      chat.view.print(`There is no personality "${args}". There are: ${names}, none`, 'warning')
      return
    }
    await choose(chosen.text, known, chat)
    chat.view.print(`Personality: ${chosen.name} (${chosen.description})`)
  },
}

type Known = Awaited<ReturnType<typeof all>>

async function all({ agent }: Chat) {
  const { personalities } = await import('@hermes/core/context/personality.ts')
  return personalities(agent.config)
}

function listing(known: Known, { agent, settings }: Chat): string {
  const current = (settings.instructions ?? agent.config.agent.system_prompt).trim()
  const width = Math.max(...known.map(({ name }) => name.length))
  const rows = known.map(({ name, description, text }) => {
    return `${text === current ? '❯' : ' '} ${name.padEnd(width)}  ${description}`
  })
  const isOther = current !== '' && known.every(({ text }) => text !== current)
  const note = isOther ? ['', 'In use now: other instructions, from agent.system_prompt.'] : []
  return [...rows, ...note, '', 'Choose one: /personality NAME, or none'].join('\n')
}

/** Holds from the next message on, and, where nothing of the person's own would be lost by it, for sessions to come. */
async function choose(text: string, known: Known, { agent, settings, view }: Chat): Promise<void> {
  settings.instructions = text
  const configured = agent.config.agent.system_prompt.trim()
  if (configured !== '' && known.every((one) => one.text !== configured)) {
    view.print('It holds for this run only: agent.system_prompt has instructions of your own, which stay.', 'warning')
    return
  }
  const { editConfig } = await import('@hermes/core/config/edit.ts')
  try {
    await editConfig({ home: agent.home, environment: agent.environment }, () => [
      { path: ['agent', 'system_prompt'], value: text },
    ])
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    view.print(`It holds for this run only: ${error.message}`, 'warning')
  }
}
