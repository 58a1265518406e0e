import { type Command, CommandError, UsageError } from '../../command.ts'
import { modelLine } from '@hermes/core/models/choice/model-text.ts'
import { writeOut } from '../sessions/write-out.ts'
import { withAgent } from './with-agent.ts'

export const set: Command = {
  name: 'set',
  summary: 'Make a model the configured one: provider/model, a name, or an alias',
  positionals: '<model>',
  options: { anyway: { type: 'boolean', description: 'Also a name that its provider does not list' } },
  examples: ['hermes model set openrouter/anthropic/claude-opus-5'],
  async run({ positionals, options }, cli) {
    const [wanted, ...others] = positionals
    if (wanted === undefined || others.length > 0) throw new UsageError('hermes model set: name one model')
    return withAgent(cli, async (agent) => {
      const { listingOf, slip } = await import('@hermes/core/models/choice/unlisted.ts')
      const { configureModel } = await import('@hermes/core/models/choice/configure-model.ts')
      const resolved = await agent.models.resolve(wanted, cli.signal)
      const { known, similar } = await listingOf(resolved, agent, cli.signal)
      if (similar.length > 0 && options['anyway'] !== true) {
        throw new CommandError(`${slip(resolved, similar)} Nothing was changed; --anyway sets it all the same.`)
      }
      await configureModel(resolved, agent, cli.signal)
      await writeOut(cli, `${modelLine(resolved, known)}\nSaved to ${agent.home.path('config.yaml')}.\n`)
      return 0
    })
  },
}
