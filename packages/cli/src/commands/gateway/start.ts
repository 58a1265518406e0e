import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import type { InstalledService } from '@hermes/gateway/life/system-service/open-service.ts'
import type { Command } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { chosenPositionals, readChosen } from './chosen.ts'
import { byService, refreshService, serviceOf, systemOption } from './service-of.ts'
import { runsAlready, startGatewayProcess } from './start-gateway.ts'
import { untilRunning } from './until-running.ts'
import { usableProfile } from './usable-profile.ts'

export const start: Command = {
  name: 'start',
  summary:
    'Run it in the background: the service where one is installed, else with logs/gateway.out.log; names as of run',
  positionals: chosenPositionals,
  options: {
    system: systemOption,
    replace: { type: 'boolean', description: 'End the gateway of this profile that runs already' },
  },
  async run(input, cli) {
    const profile = await usableProfile(cli)
    const { home } = profile
    const isReplacing = input.options['replace'] === true
    const installed = await serviceOf(profile, input, cli)
    const chosen = readChosen(input.positionals)
    if (installed && chosen) throw runsAll(installed)
    if (!installed && input.options['system'] === true) throw notInstalled()
    const inBackground = async () => {
      const { pid, logPath } = await startGatewayProcess(
        { home, environment: cli.environment, isReplacing, chosen },
        cli.signal,
      )
      await writeOut(cli, `✓ The gateway runs (pid ${pid}). What it tells is in ${logPath}\n`)
      return 0
    }
    if (!installed) return inBackground()
    const other = await findGateway(home)
    if (other && !isReplacing) throw runsAlready(other.pid)
    const asService = async () => {
      const { service } = installed
      await refreshService(installed, profile, cli)
      // One that the service runs itself is not ended by starting the service.
      await (other ? service.restart(cli.signal) : service.start(cli.signal))
      const pid = await untilRunning(home, service, cli.signal)
      await writeOut(cli, `✓ The gateway runs as ${service.name}, ${service.kind} (pid ${pid}).\n`)
      return 0
    }
    return byService({ installed, input, asService, inBackground }, cli)
  },
}

/** A service has no names. */
export function runsAll({ service }: InstalledService): CommandError {
  return new CommandError(
    `${service.name} runs all that is set up. To run single platforms, stop it and say "hermes gateway run" with their names.`,
  )
}

export function notInstalled(): CommandError {
  return new CommandError('No service of the whole system is installed: "sudo hermes gateway install --system".')
}
