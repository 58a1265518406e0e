import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { openHome } from '@hermes/core/config/home.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { profileName } from '@hermes/gateway/life/system-service/service-name.ts'
import type { Cli, Command, CommandInput } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { orCommandError, orWithoutManager, serviceOf, systemOption } from './service-of.ts'
import { stopGateway } from './stop-gateway.ts'
import { usableProfile } from './usable-profile.ts'

export const stop: Command = {
  name: 'stop',
  summary: 'Stop it; what runs gets the time that agent.restart_drain_timeout gives',
  options: {
    system: systemOption,
    all: { type: 'boolean', description: 'Those of all profiles' },
  },
  async run(input, cli) {
    if (input.options['all'] !== true) {
      const hasRun = await stopOne(cli.environment, input, cli)
      await writeOut(cli, hasRun ? '✓ The gateway has stopped.\n' : 'The gateway does not run.\n')
      return 0
    }
    const homes = await runningHomes(openHome(cli.environment))
    for (const home of homes) {
      await stopOne({ ...cli.environment, HERMES_HOME: home.dir }, input, cli)
      await writeOut(cli, `✓ The gateway of ${profileName(home)} has stopped.\n`)
    }
    if (homes.length === 0) await writeOut(cli, 'No gateway runs.\n')
    return 0
  },
}

/** Through its service, where that runs it: else the service would count it as failed, or start it again. */
async function stopOne(environment: Cli['environment'], input: CommandInput, cli: Cli): Promise<boolean> {
  const profile = await usableProfile({ environment, stderr: cli.stderr })
  const installed = await serviceOf(profile, input, cli)
  const isActive = await orCommandError(() =>
    orWithoutManager(
      async () => installed !== undefined && (await installed.service.state(cli.signal)).isActive,
      async () => false,
    ),
  )
  if (isActive) await orCommandError(async () => installed?.service.stop(cli.signal))
  return (await stopGateway(profile, cli.signal)) || isActive
}

/** The root home and all profiles below it, where a gateway runs. */
async function runningHomes({ dir }: Home): Promise<readonly Home[]> {
  const root = basename(dirname(dir)) === 'profiles' ? dirname(dirname(dir)) : dir
  const names = await readdir(join(root, 'profiles')).catch(() => [])
  const homes = [root, ...names.map((name) => join(root, 'profiles', name))].map((one) =>
    openHome({ HERMES_HOME: one }),
  )
  const running = await Promise.all(homes.map((home) => findGateway(home)))
  return homes.filter((_, at) => running[at] !== undefined)
}
