import type { Command } from '../../command.ts'
import { pricePerMillion } from '@hermes/core/models/cost-text.ts'
import type { ListedModel } from '@hermes/core/models/choice/listed-models.ts'
import { modelLine } from '@hermes/core/models/choice/model-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { modelJson } from './list.ts'
import { withAgent } from './with-agent.ts'

export const show: Command = {
  name: 'show',
  summary: 'Show a model, or the one that is configured: window, abilities, prices',
  positionals: '[model...]',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ positionals, options }, cli) {
    const wanted = positionals.join(' ') || undefined
    return withAgent(cli, async (agent) => {
      const { listingOf, slip } = await import('@hermes/core/models/choice/unlisted.ts')
      const resolved = await agent.models.resolve(wanted, cli.signal)
      const { known, similar } = await listingOf(resolved, agent, cli.signal)
      const { provider, model: id, contextLength, maxOutputTokens } = resolved
      if (options['json'] === true) {
        await writeJson(cli, modelJson({ maxOutputTokens, ...known, provider: provider.name, id, contextLength }))
        return 0
      }
      if (resolved.notice) cli.stderr.write(`${resolved.notice}\n`)
      if (similar.length > 0) cli.stderr.write(`! ${slip(resolved, similar)}\n`)
      await writeOut(cli, `${[modelLine(resolved, known), ...details(known)].join('\n')}\n`)
      return 0
    })
  },
}

function details(known: ListedModel | undefined): string[] {
  if (known?.prices === undefined) return []
  const { cacheRead, cacheWrite, tiers = [] } = known.prices
  const caches = [
    cacheRead === undefined ? undefined : `${pricePerMillion(cacheRead)} read from cache`,
    cacheWrite === undefined ? undefined : `${pricePerMillion(cacheWrite)} written to cache`,
  ].filter((each) => each !== undefined)
  return [
    ...(caches.length > 0 ? [`  ${caches.join(', ')}`] : []),
    ...tiers.map(
      ({ above, input, output }) =>
        `  prompts of more than ${above.toLocaleString('en-US')} tokens: ${pricePerMillion(input)} in, ${pricePerMillion(output)} out`,
    ),
  ]
}
