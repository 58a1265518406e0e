import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Command } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { stopGateway } from './stop-gateway.ts'

export const stop: Command = {
  name: 'stop',
  summary: 'Stop it; what runs gets the time that agent.restart_drain_timeout gives',
  async run(_input, cli) {
    const hasRun = await stopGateway(await openProfile(cli.environment), cli.signal)
    await writeOut(cli, hasRun ? '✓ The gateway has stopped.\n' : 'The gateway does not run.\n')
    return 0
  },
}
