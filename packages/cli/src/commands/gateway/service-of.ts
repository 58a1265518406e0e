import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findService, serviceDefinition } from '@hermes/gateway/life/system-service/open-service.ts'
import type { InstalledService, ServiceScope } from '@hermes/gateway/life/system-service/open-service.ts'
import { isUnreachable, ServiceError } from '@hermes/gateway/life/system-service/system-service.ts'
import type { ServiceDefinition, SystemService } from '@hermes/gateway/life/system-service/system-service.ts'
import { findUser } from '@hermes/gateway/life/system-service/system-user.ts'
import type { Cli, CommandInput, OptionSpec } from '../../command.ts'
import { CommandError } from '../../command.ts'
import { ownProgram } from './own-process.ts'

/** Which service is meant. */
export const systemOption: OptionSpec = { type: 'boolean', description: 'The service of the whole system' }

/** The service that the profile's gateway has, if one is installed. */
export function serviceOf(
  { home }: Pick<Profile, 'home'>,
  { options }: Pick<CommandInput, 'options'>,
  { environment }: Cli,
): Promise<InstalledService | undefined> {
  const scopes: readonly ServiceScope[] = options['system'] === true ? ['system'] : ['user', 'system']
  return findService({ home, environment }, scopes)
}

/** What the service of a profile runs, as this program would install it. `userName`: for one of the whole system. */
export async function definitionOf(
  service: SystemService,
  { home, config }: Pick<Profile, 'home' | 'config'>,
  userName: string | undefined,
  cli: Cli,
): Promise<ServiceDefinition> {
  const { environment, signal } = cli
  const user = userName === undefined ? undefined : await findUser(userName, environment, signal)
  const drainSeconds = config.agent.restart_drain_timeout
  const program = ownProgram()
  return serviceDefinition({ home, environment, name: service.name, program, drainSeconds, ...(user && { user }) })
}

/** Writes the definition anew where this program would write another one. */
export async function refreshService(
  { service }: InstalledService,
  profile: Pick<Profile, 'home' | 'config'>,
  cli: Cli,
): Promise<void> {
  const definition = await definitionOf(service, profile, await service.installedUser(), cli)
  if ((await service.standing(definition)) !== 'outdated') return
  await service.install(definition, cli.signal)
  cli.stderr.write(`The service was brought up to date: ${service.file}\n`)
}

/** What a service cannot do is told as what the command cannot. */
export async function orCommandError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ServiceError) throw new CommandError(error.message, 1, { cause: error })
    throw error
  }
}

/**
 * Does what takes the service's manager, or `otherwise` where there is none: its file stays behind in a copied home, and in
 * sessions that have no bus.
 */
export async function orWithoutManager<Result>(
  work: () => Promise<Result>,
  otherwise: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (isUnreachable(error)) return otherwise()
    throw error
  }
}

interface ByService {
  readonly installed: InstalledService
  readonly input: Pick<CommandInput, 'options'>
  readonly asService: () => Promise<number>
  readonly inBackground: () => Promise<number>
}

/** Has the service do it, or, where that cannot be reached and was not asked for by name, does without it, and says so. */
export function byService({ installed, input, asService, inBackground }: ByService, cli: Cli): Promise<number> {
  if (input.options['system'] === true) return orCommandError(asService)
  const { name, kind } = installed.service
  return orCommandError(() =>
    orWithoutManager(asService, () => {
      cli.stderr.write(`! ${kind} cannot be reached here, so ${name} is left alone.\n`)
      return inBackground()
    }),
  )
}
