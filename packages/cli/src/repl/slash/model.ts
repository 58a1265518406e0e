import { ConfigError } from '@hermes/core/config/config-error.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import { modelReference } from '@hermes/core/models/model-reference.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

/** Most models that are offered while one types. */
const mostOffered = 50

export const model: SlashCommand = {
  name: 'model',
  args: '[provider/model] [--global] [--anyway]',
  summary: 'Show or change the model; --global for all sessions to come',
  category: 'Configuration',
  duringTurn: false,
  async complete(prefix, { agent, settings, signal }) {
    const { model_aliases: aliases, model: configured } = agent.config
    const known = [configured.default, ...Object.keys(aliases)].filter((name) => name !== '')
    const listed = await listedBy(settings.model, agent, signal)
    return [...new Set([...known, ...listed])]
      .filter((name) => name.startsWith(prefix))
      .slice(0, mostOffered)
      .map((value) => ({ value }))
  },
  async run(args, chat) {
    const words = args.split(/\s+/).filter((word) => word !== '')
    const name = words.filter((word) => !word.startsWith('--')).join(' ')
    const { listingOf, slip } = await import('@hermes/core/models/choice/unlisted.ts')
    const { modelLine } = await import('@hermes/core/models/choice/model-text.ts')
    try {
      const resolved = await chat.agent.models.resolve(name || chat.settings.model, chat.signal)
      const { known, similar } = await listingOf(resolved, chat.agent, chat.signal)
      const shown = modelLine(resolved, known)
      if (name === '') {
        chat.view.print(`${shown}\nChange it: /model PROVIDER/MODEL (hermes model list shows what there is)`)
        return
      }
      if (similar.length > 0 && !words.includes('--anyway')) {
        chat.view.print(`${slip(resolved, similar)} /model ${name} --anyway takes it all the same.`, 'warning')
        return
      }
      chat.settings.model = name
      if (words.includes('--global')) {
        const { configureModel } = await import('@hermes/core/models/choice/configure-model.ts')
        await configureModel(resolved, chat.agent, chat.signal)
        chat.view.print(`Saved to ${chat.agent.home.path('config.yaml')}.`, 'dim')
      }
      chat.view.print(shown)
    } catch (error) {
      if (!(error instanceof ModelError) && !(error instanceof ConfigError)) throw error
      chat.view.print(error.message, 'warning')
    }
  },
}

/** The models that the provider in use lists, as one refers to them. */
async function listedBy(current: string | undefined, agent: Chat['agent'], signal: AbortSignal): Promise<string[]> {
  const { modelList } = await import('@hermes/core/models/catalogue/catalogue.ts')
  const { toldModelsFolder } = await import('@hermes/core/models/pricing.ts')
  try {
    const { provider } = await agent.models.resolve(current, signal)
    const list = await modelList(provider.name, toldModelsFolder(agent.home))
    return (list?.models ?? []).map(({ id }) => modelReference(provider.name, id))
  } catch (error) {
    if (error instanceof ModelError) return []
    throw error
  }
}
