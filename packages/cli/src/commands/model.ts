import type { Command } from '../command.ts'
import { canPick } from '../picker/can-pick.ts'
import { list } from './model/list.ts'
import { local } from './model/local.ts'
import { set } from './model/set.ts'
import { show } from './model/show.ts'

export const command: Command = {
  name: 'model',
  summary: 'Choose the model; list and show models with their prices',
  subcommands: [list, set, show, local],
  examples: [
    'hermes model',
    'hermes model list --provider openrouter --search opus',
    'hermes model set openrouter/anthropic/claude-opus-5',
    'hermes model local',
  ],
  async run(input, cli) {
    if (!canPick(cli)) return (await show.run?.(input, cli)) ?? 0
    const { pickModel } = await import('./model/pick-model.ts')
    return pickModel(cli)
  },
}
