import type { Command } from '../../command.ts'
import type { ListedModel, ListedProvider } from '@hermes/core/models/choice/listed-models.ts'
import { modelCells, modelHeadings } from '@hermes/core/models/choice/model-text.ts'
import { text } from '../../option-values.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { withAgent } from './with-agent.ts'

export const list: Command = {
  name: 'list',
  summary: 'List the models that can be used, or those of one provider',
  options: {
    provider: { type: 'string', value: 'NAME', description: 'Only this provider, also without a key for it' },
    search: { type: 'string', value: 'WORDS', description: 'Only models whose name has these words' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ options }, cli) {
    const provider = text(options['provider'])
    const words = (text(options['search']) ?? '').toLowerCase().split(/\s+/)
    return withAgent(cli, async (agent) => {
      const { listedProvider, usableProviders } = await import('@hermes/core/models/choice/listed-models.ts')
      const lists =
        provider === undefined
          ? await usableProviders(agent, cli.signal)
          : [await listedProvider(agent, provider, cli.signal)]
      const models = lists
        .flatMap((each) => each.models)
        .filter(({ provider: name, id }) => words.every((word) => `${name}/${id}`.toLowerCase().includes(word)))
      if (options['json'] === true) await writeJson(cli, models.map(modelJson))
      else await writeOut(cli, `${listText(models, lists)}\n`)
      return 0
    })
  },
}

function listText(models: readonly ListedModel[], lists: readonly ListedProvider[]): string {
  if (lists.length === 0) {
    return 'No provider can be used yet: set a key (hermes auth add) or sign in (hermes login).\n--provider NAME lists the models of one all the same.'
  }
  if (models.length === 0) return 'No model matches.'
  const headings = modelHeadings.map((heading) => ({ heading }))
  return [...columnLines(headings, models.map(modelCells)), '', ...lists.map(sourceLine)].join('\n')
}

function sourceLine({ provider, source, asOf, models }: ListedProvider): string {
  const whose = source === 'provider' ? 'as the provider lists them' : 'from the bundled table'
  return `${provider}: ${models.length} model${models.length === 1 ? '' : 's'}, ${whose}${asOf === undefined ? '' : `, ${asOf}`}`
}

/** A model for programs; prices are USD for a million tokens. */
export function modelJson({ prices, ...model }: ListedModel) {
  return {
    provider: model.provider,
    model: model.id,
    context_length: model.contextLength ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    tools: model.tools ?? null,
    images: model.images ?? null,
    reasoning: model.reasoning ?? null,
    prices: prices
      ? {
          input: prices.input,
          output: prices.output,
          cache_read: prices.cacheRead ?? null,
          cache_write: prices.cacheWrite ?? null,
          tiers: (prices.tiers ?? []).map(({ above, input, output, cacheRead, cacheWrite }) => ({
            above_prompt_tokens: above,
            input,
            output,
            cache_read: cacheRead ?? null,
            cache_write: cacheWrite ?? null,
          })),
        }
      : null,
  }
}
