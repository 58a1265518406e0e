import { setTimeout as wait } from 'node:timers/promises'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import type { Command } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'

/** How often it is looked whether the gateway is gone, ms. */
const lookMs = 100

export const stop: Command = {
  name: 'stop',
  summary: 'Stop it; what runs gets the time that agent.restart_drain_timeout gives',
  async run(_input, cli) {
    const { home, config } = await openProfile(cli.environment)
    const running = await findGateway(home)
    if (!running) {
      await writeOut(cli, 'The gateway does not run.\n')
      return 0
    }
    process.kill(running.pid, 'SIGTERM')
    const until = Date.now() + (config.agent.restart_drain_timeout + 10) * 1000
    while (await findGateway(home)) {
      cli.signal.throwIfAborted()
      if (Date.now() > until) throw new CommandError(`The gateway (pid ${running.pid}) does not end; kill it by hand.`)
      await wait(lookMs, undefined, { signal: cli.signal })
    }
    await writeOut(cli, '✓ The gateway has stopped.\n')
    return 0
  },
}
