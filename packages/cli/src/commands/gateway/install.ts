import { ensureHome } from '@hermes/core/config/home.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { openService } from '@hermes/gateway/life/system-service/open-service.ts'
import type { SystemService } from '@hermes/gateway/life/system-service/system-service.ts'
import type { Cli, Command, CommandInput } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { definitionOf, orCommandError } from './service-of.ts'
import { stopGateway } from './stop-gateway.ts'
import { untilRunning } from './until-running.ts'

export const install: Command = {
  name: 'install',
  summary: 'Make it a service that the system starts and keeps running (systemd, launchd)',
  options: {
    system: { type: 'boolean', description: 'A service of the whole system, which runs without anybody signed in' },
    'run-as-user': { type: 'string', value: 'USER', description: 'As whom it runs; implies --system' },
    force: { type: 'boolean', description: 'Also where one is installed already' },
  },
  examples: [
    'hermes gateway install',
    'sudo hermes gateway install --run-as-user ann',
    'hermes -p work gateway install       a service of its own for the profile "work"',
  ],
  async run(input, cli) {
    const profile = await openProfile(cli.environment)
    const { service, userName } = chosenService(profile, input, cli)
    return orCommandError(async () => {
      if (userName === undefined) ensureHome(profile.home, profile.environment)
      const definition = await definitionOf(service, profile, userName, cli)
      if (service.isInstalled() && input.options['force'] !== true) {
        const standing = await service.standing(definition)
        const hint = standing === 'current' ? 'up to date' : 'another version: --force installs it anew'
        throw new CommandError(`${service.name} is installed already (${hint}): ${service.file}`)
      }
      await service.install(definition, cli.signal)
      await writeOut(cli, `✓ Installed ${service.name}, ${service.kind}: ${service.file}\n`)
      await startIt(service, profile, cli)
      for (const hint of (await service.state(cli.signal)).hints) await writeOut(cli, `! ${hint}\n`)
      return 0
    })
  },
}

/** Throws `CommandError` where the system has no such service. */
function chosenService({ home }: Profile, { options }: CommandInput, { environment }: Cli) {
  const asUser = typeof options['run-as-user'] === 'string' ? options['run-as-user'] : undefined
  const isSystem = options['system'] === true || asUser !== undefined
  const service = openService({ home, environment, scope: isSystem ? 'system' : 'user' })
  if (!service) throw new CommandError('This system has no such service. Run "hermes gateway start" instead.')
  if (!isSystem) return { service, userName: undefined }
  const userName = asUser ?? environment['SUDO_USER'] ?? environment['USER']
  if (!userName) throw new CommandError('Say as whom it runs: hermes gateway install --run-as-user USER')
  return { service, userName }
}

/** One that runs by itself makes room. */
async function startIt(service: SystemService, profile: Profile, cli: Cli): Promise<void> {
  const { isActive } = await service.state(cli.signal)
  if (!isActive && (await findGateway(profile.home))) await stopGateway(profile, cli.signal)
  await (isActive ? service.restart(cli.signal) : service.start(cli.signal))
  const pid = await untilRunning(profile.home, service, cli.signal)
  await writeOut(cli, `✓ The gateway runs (pid ${pid}).\n`)
}
