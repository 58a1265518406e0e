import type { Command } from '../command.ts'
import { addCommand } from './auth/add.ts'
import { listCommand } from './auth/list.ts'
import { removeCommand } from './auth/remove.ts'
import { resetCommand } from './auth/reset.ts'
import { statusCommand } from './auth/status.ts'

/** `hermes auth`: the credentials of the profile. */
export const command: Command = {
  name: 'auth',
  summary: 'Show, add and remove API keys and sign-ins',
  subcommands: [listCommand, addCommand, removeCommand, resetCommand, statusCommand],
  async run(input, cli) {
    if (!cli.stdin.isTTY || !cli.stdout.isTTY) return (await listCommand.run?.(input, cli)) ?? 0
    const { manageCredentials } = await import('./auth/manager.ts')
    return manageCredentials(cli)
  },
}
