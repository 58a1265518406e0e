import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Command } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { startGatewayProcess } from './start-gateway.ts'
import { stopGateway } from './stop-gateway.ts'

export const start: Command = {
  name: 'start',
  summary: 'Run it in the background; what it tells is in logs/gateway.out.log',
  async run(_input, cli) {
    const { pid, logPath } = await startGatewayProcess(await openProfile(cli.environment), cli.environment, cli.signal)
    await writeOut(cli, `✓ The gateway runs (pid ${pid}). What it tells is in ${logPath}\n`)
    return 0
  },
}

export const restart: Command = {
  name: 'restart',
  summary: 'Stop it, as "stop" does, and start it in the background',
  async run(_input, cli) {
    const profile = await openProfile(cli.environment)
    await stopGateway(profile, cli.signal)
    const { pid } = await startGatewayProcess(profile, cli.environment, cli.signal)
    await writeOut(cli, `✓ The gateway runs anew (pid ${pid}).\n`)
    return 0
  },
}
