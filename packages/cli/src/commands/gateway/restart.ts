import { gatewayWords } from '@hermes/gateway/life/pid-file.ts'
import type { Command } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { chosenBefore, chosenPositionals, readChosen } from './chosen.ts'
import { byService, refreshService, serviceOf, systemOption } from './service-of.ts'
import { notInstalled, runsAll } from './start.ts'
import { startGatewayProcess } from './start-gateway.ts'
import { stopGateway } from './stop-gateway.ts'
import { untilRunning } from './until-running.ts'
import { usableProfile } from './usable-profile.ts'

export const restart: Command = {
  name: 'restart',
  summary: 'Stop it, as "stop" does, and start it as it was started, or with these names',
  positionals: chosenPositionals,
  options: { system: systemOption },
  async run(input, cli) {
    const profile = await usableProfile(cli)
    const { home } = profile
    const installed = await serviceOf(profile, input, cli)
    const chosen = readChosen(input.positionals)
    if (installed && chosen) throw runsAll(installed)
    if (!installed && input.options['system'] === true) throw notInstalled()
    const inBackground = async () => {
      const again = chosen ?? chosenBefore(await gatewayWords(home))
      await stopGateway(profile, cli.signal)
      const { pid } = await startGatewayProcess({ home, environment: cli.environment, chosen: again }, cli.signal)
      await writeOut(cli, `✓ The gateway runs anew (pid ${pid}).\n`)
      return 0
    }
    if (!installed) return inBackground()
    const asService = async () => {
      const { service } = installed
      await refreshService(installed, profile, cli)
      await service.restart(cli.signal)
      const pid = await untilRunning(home, service, cli.signal)
      await writeOut(cli, `✓ The gateway runs anew as ${service.name}, ${service.kind} (pid ${pid}).\n`)
      return 0
    }
    return byService({ installed, input, asService, inBackground }, cli)
  },
}
