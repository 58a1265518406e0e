import { ModelError } from '@hermes/core/models/model-error.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { ChatCommand, CommandAnswer, CommandCall } from './command.ts'
import type { Menu } from './menu.ts'

/** Models that are listed of each provider in a text, and in a menu. */
const [perProvider, perMenu] = [5, 50]

const flags: readonly string[] = ['--provider', '--global', '--anyway']

export const model: ChatCommand = {
  name: 'model',
  args: '[provider/model] [--provider NAME] [--global] [--anyway]',
  options: [
    { name: 'name', about: 'Name of a model, or provider/model; the present one is shown without' },
    { name: 'provider', about: 'Whose model it is', word: '--provider' },
    { name: 'global', about: 'For all conversations to come', kind: 'flag', word: '--global' },
    { name: 'anyway', about: 'Also one that nobody has heard of', kind: 'flag', word: '--anyway' },
  ],
  summary: 'Show or change the model of this conversation; --global for all to come',
  async run(call) {
    const words = call.args.split(/\s+/).filter((word) => word !== '')
    const odd = words.find((word) => word.startsWith('--') && !flags.includes(word))
    if (odd !== undefined) return `There is no ${odd}: /model ${model.args}`
    return { work: { lane: 'model', run: (signal) => choose(words, call, signal) } }
  },
}

async function choose(
  words: readonly string[],
  call: CommandCall,
  signal: AbortSignal,
): Promise<string | CommandAnswer> {
  const { agent, chats, sessionKey } = call
  const at = words.indexOf('--provider')
  const provider = at >= 0 ? words[at + 1] : undefined
  const named = words.filter((word, index) => !word.startsWith('--') && !(at >= 0 && index === at + 1)).join(' ')
  const wanted = provider !== undefined && named !== '' ? `${provider}/${named}` : named
  const { listingOf, slip } = await import('@hermes/core/models/choice/unlisted.ts')
  const { modelLine } = await import('@hermes/core/models/choice/model-text.ts')
  try {
    const resolved = await agent.models.resolve(wanted || (await chats.settings.model(sessionKey)), signal)
    // A name that is no provider's is taken for a part of the model's.
    if (provider !== undefined && named !== '' && resolved.model === wanted) {
      return `There is no provider ${provider}. /provider lists them.`
    }
    const { known, similar } = await listingOf(resolved, agent, signal)
    const shown = modelLine(resolved, known)
    if (wanted === '') {
      const lists = await usable(call, signal)
      const say = `${shown}\n\n${choices(lists)}\n\nChange it: /model PROVIDER/MODEL`
      return { say, menu: modelMenu(shown, lists, call) }
    }
    if (similar.length > 0 && !words.includes('--anyway')) {
      return `${slip(resolved, similar)} /model ${wanted} --anyway takes it all the same.`
    }
    await chats.settings.setModel(sessionKey, wanted)
    if (!words.includes('--global')) return `${shown}\n(For this conversation; --global keeps it.)`
    const { configureModel } = await import('@hermes/core/models/choice/configure-model.ts')
    await configureModel(resolved, agent, signal)
    return `${shown}\nSaved for all conversations that have no model of their own, from their next turn on.`
  } catch (error) {
    if (!(error instanceof ModelError) && !(error instanceof ConfigError)) throw error
    return error.message
  }
}

/** What can be used of a provider: names of models, and how each is asked for. */
interface ProviderChoices {
  readonly provider: string
  readonly models: readonly { readonly id: string; readonly reference: string }[]
}

async function usable({ agent }: CommandCall, signal: AbortSignal): Promise<readonly ProviderChoices[]> {
  const { usableProviders } = await import('@hermes/core/models/choice/listed-models.ts')
  const { modelReference } = await import('@hermes/core/models/model-reference.ts')
  const lists = await usableProviders(agent, signal)
  return lists.map(({ provider: name, models }) => ({
    provider: name,
    models: models.map(({ id }) => ({ id, reference: modelReference(name, id) })),
  }))
}

/** Providers, then the models of one. */
function modelMenu(shown: string, lists: readonly ProviderChoices[], call: CommandCall): Menu {
  return {
    text: `${shown}\n\nChoose a provider:`,
    items: lists.map(({ provider: name, models }) => ({
      label: `${name} (${models.length})`,
      choose: async () => ({
        text: `${name}: choose a model.`,
        items: models.slice(0, perMenu).map(({ id, reference }) => ({
          label: id,
          async choose(signal: AbortSignal) {
            const done = await choose([reference], call, signal)
            return typeof done === 'string' ? done : (done.say ?? '')
          },
        })),
      }),
    })),
  }
}

function choices(lists: readonly ProviderChoices[]): string {
  return lists
    .map(({ provider, models }) => {
      const some = models.slice(0, perProvider).map(({ reference }) => `  ${reference}`)
      const rest = models.length > perProvider ? [`  … ${models.length - perProvider} more`] : []
      return [provider, ...some, ...rest].join('\n')
    })
    .join('\n')
}

export const provider: ChatCommand = {
  name: 'provider',
  summary: 'The providers of models, and which of them can be used',
  async run({ agent }) {
    const { knownProviders } = await import('@hermes/core/models/providers/registry.ts')
    const lines = [...knownProviders({ environment: agent.environment })].map(([name, { needsKey, keys }]) => {
      const has = keys.some((key) => agent.environment[key.name]?.trim())
      const without = (needsKey ?? true) ? '' : '✓ needs no key'
      return { name, state: has ? '✓ a key is set' : without }
    })
    const usable = lines.filter(({ state }) => state !== '').map(({ name, state }) => `${name}: ${state}`)
    const others = lines.filter(({ state }) => state === '').map(({ name }) => name)
    const { provider: configured } = agent.config.model
    return [
      ...(configured ? [`Configured: ${configured}`] : []),
      ...usable,
      ...(others.length > 0 ? [`Without a key: ${others.join(', ')}`] : []),
    ].join('\n')
  },
}
