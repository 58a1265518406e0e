import { modelReference } from '@hermes/core/models/model-reference.ts'
import { type Cli, CommandError } from '../../command.ts'
import { configureModel } from '@hermes/core/models/choice/configure-model.ts'
import { type ListedModel, type ListedProvider, usableProviders } from '@hermes/core/models/choice/listed-models.ts'
import { modelCells, modelHeadings, modelLine } from '@hermes/core/models/choice/model-text.ts'
import { pick } from '../../picker/pick.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeOut } from '../sessions/write-out.ts'
import { withAgent } from './with-agent.ts'

/** Lets a person pick a provider that can be used, then one of its models, which becomes the configured one. */
export function pickModel(cli: Cli): Promise<number> {
  return withAgent(cli, async (agent) => {
    const lists = await usableProviders(agent, cli.signal)
    if (lists.length === 0) {
      throw new CommandError('No provider can be used yet: set a key (hermes auth add) or sign in (hermes login).')
    }
    const model = await pickFrom(lists, cli)
    if (model === undefined) return 0
    const resolved = await agent.models.resolve(modelReference(model.provider, model.id), cli.signal)
    await configureModel(resolved, agent, cli.signal)
    await writeOut(cli, `${modelLine(resolved, model)}\nSaved to ${agent.home.path('config.yaml')}.\n`)
    return 0
  })
}

/** Going back from the models leads to the providers, where there are several. */
async function pickFrom(lists: readonly ListedProvider[], cli: Cli): Promise<ListedModel | undefined> {
  for (;;) {
    const list = lists.length === 1 ? lists[0] : await pick(lists, providerView, cli)
    if (list === undefined) return undefined
    const model = await pick(list.models, modelView(list.provider), cli)
    if (model !== undefined || lists.length === 1 || cli.signal.aborted) return model
  }
}

const providerView = {
  title: 'Providers',
  nothing: 'No provider matches.',
  choose: 'see its models',
  textOf: ({ provider }: ListedProvider) => provider,
  table: (lists: readonly ListedProvider[], width: number) =>
    columnLines(
      [{ heading: 'Provider' }, { heading: 'Models', isFlexible: true }],
      lists.map(({ provider, models }) => [provider, String(models.length)]),
      width,
    ),
}

function modelView(provider: string) {
  return {
    title: `Models of ${provider}`,
    nothing: 'No model matches.',
    choose: 'use it',
    textOf: ({ id }: ListedModel) => id,
    table: (models: readonly ListedModel[], width: number) =>
      columnLines(
        modelHeadings.map((heading) => ({ heading, isFlexible: heading === 'Model' })),
        models.map(modelCells),
        width,
      ),
  }
}
