import type { Command } from '../command.ts'
import { add } from './webhook/add.ts'
import { list } from './webhook/list.ts'
import { remove } from './webhook/remove.ts'
import { test } from './webhook/test-route.ts'

export const command: Command = {
  name: 'webhook',
  summary: 'Events of other services that give the agent tasks',
  subcommands: [add, list, remove, test],
  examples: [
    'hermes webhook add deploys --events push --prompt "What does {repository.name} change?" --deliver telegram',
    'hermes webhook test deploys --payload \'{"repository":{"name":"app"}}\'',
  ],
}
