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
      const { personalityListing } = await import('@hermes/core/context/choose-personality.ts')
      const current = chat.settings.instructions ?? chat.agent.config.agent.system_prompt
      chat.view.print(personalityListing(known, current.trim()))
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

/** Holds from the next message on, and, where it can be kept, for sessions to come. */
async function choose(text: string, known: Known, { agent, settings, view }: Chat): Promise<void> {
  settings.instructions = text
  const { keepPersonality } = await import('@hermes/core/context/choose-personality.ts')
  const problem = await keepPersonality(text, known, agent)
  if (problem !== undefined) view.print(problem, 'warning')
}
