import type { Command } from '../command.ts'
import { channels } from './gateway/channels.ts'
import { deliveries } from './gateway/deliveries.ts'
import { install } from './gateway/install.ts'
import { mirror } from './gateway/mirror.ts'
import { pair, unpair } from './gateway/pair.ts'
import { restart } from './gateway/restart.ts'
import { run } from './gateway/run.ts'
import { setup } from './gateway/setup.ts'
import { start } from './gateway/start.ts'
import { status } from './gateway/status.ts'
import { stop } from './gateway/stop.ts'
import { uninstall } from './gateway/uninstall.ts'

export const command: Command = {
  name: 'gateway',
  summary: 'Keep the agent reachable on chat platforms; alone, the same as run',
  options: run.options ?? {},
  subcommands: [
    run,
    start,
    stop,
    restart,
    status,
    setup,
    install,
    uninstall,
    channels,
    deliveries,
    mirror,
    pair,
    unpair,
  ],
  examples: [
    'hermes gateway setup              asks what a chat platform needs',
    'hermes gateway run                here, until Ctrl-C',
    'hermes gateway install            as a service, which the system keeps running',
    'hermes gateway status --deep',
    'hermes pairing approve telegram ABCD2345',
  ],
  run: (input, cli) => run.run?.(input, cli) ?? Promise.resolve(2),
}
