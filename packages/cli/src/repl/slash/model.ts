import { ModelError } from '@hermes/core/models/model-error.ts'
import { formatCount } from '../token-count.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const model: SlashCommand = {
  name: 'model',
  args: '[provider/model]',
  summary: 'Show or change the model of this session',
  category: 'Configuration',
  duringTurn: false,
  async complete(prefix, { agent }) {
    const { model_aliases: aliases, model: configured } = agent.config
    const known = [configured.default, ...Object.keys(aliases)].filter((name) => name !== '')
    return [...new Set(known)].filter((name) => name.startsWith(prefix)).map((value) => ({ value }))
  },
  async run(args, chat) {
    const wanted = args === '' ? chat.settings.model : args
    try {
      const shown = await describe(wanted, chat)
      if (args !== '') chat.settings.model = args
      chat.view.print(args === '' ? `${shown}\nChange it: /model PROVIDER/MODEL` : shown)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      chat.view.print(error.message, 'warning')
    }
  },
}

async function describe(wanted: string | undefined, { agent, signal }: Chat): Promise<string> {
  const resolved = await agent.models.resolve(wanted, signal)
  const window = `context ${formatCount(resolved.contextLength)} tokens`
  const place = resolved.baseUrl ? ` · ${resolved.baseUrl}` : ''
  return `Model: ${resolved.provider.name}/${resolved.model} · ${window}${place}`
}
