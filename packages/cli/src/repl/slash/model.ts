import { ConfigError } from '@hermes/core/config/config-error.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import type { ResolvedModel } from '@hermes/core/models/model.ts'
import { formatCount } from '../token-count.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const model: SlashCommand = {
  name: 'model',
  args: '[provider/model] [--global]',
  summary: 'Show or change the model; --global for all sessions to come',
  category: 'Configuration',
  duringTurn: false,
  async complete(prefix, { agent }) {
    const { model_aliases: aliases, model: configured } = agent.config
    const known = [configured.default, ...Object.keys(aliases)].filter((name) => name !== '')
    return [...new Set(known)].filter((name) => name.startsWith(prefix)).map((value) => ({ value }))
  },
  async run(args, chat) {
    const words = args.split(/\s+/).filter((word) => word !== '')
    const name = words.filter((word) => word !== '--global').join(' ')
    try {
      const resolved = await chat.agent.models.resolve(name || chat.settings.model, chat.signal)
      const shown = describe(resolved)
      if (name === '') {
        chat.view.print(`${shown}\nChange it: /model PROVIDER/MODEL`)
        return
      }
      chat.settings.model = name
      if (words.includes('--global')) await configure(resolved, chat)
      chat.view.print(shown)
    } catch (error) {
      if (!(error instanceof ModelError) && !(error instanceof ConfigError)) throw error
      chat.view.print(error.message, 'warning')
    }
  },
}

function describe({ provider, model: name, contextLength, baseUrl }: ResolvedModel): string {
  const place = baseUrl ? ` · ${baseUrl}` : ''
  return `Model: ${provider.name}/${name} · context ${formatCount(contextLength)} tokens${place}`
}

/** Makes it the configured model. */
async function configure(resolved: ResolvedModel, { agent, view }: Chat): Promise<void> {
  const { editConfig } = await import('@hermes/core/config/edit.ts')
  await editConfig({ home: agent.home, environment: agent.environment }, () => [
    { path: ['model', 'default'], value: resolved.model },
    { path: ['model', 'provider'], value: resolved.provider.name },
  ])
  view.print(`Saved to ${agent.home.path('config.yaml')}.`, 'dim')
}
