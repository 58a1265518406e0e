import type { Command } from '../command.ts'
import { run } from './gateway/run.ts'
import { restart, start } from './gateway/start.ts'
import { status } from './gateway/status.ts'
import { stop } from './gateway/stop.ts'

export const command: Command = {
  name: 'gateway',
  summary: 'Keep the agent reachable on chat platforms',
  subcommands: [run, start, stop, restart, status],
  examples: [
    'hermes gateway run                here, until Ctrl-C',
    'hermes gateway status',
    'hermes pairing approve telegram ABCD2345',
  ],
}
