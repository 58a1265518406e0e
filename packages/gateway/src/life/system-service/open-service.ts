import { homedir, userInfo } from 'node:os'
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path'
import type { Environment } from '@hermes/core/agent/context.ts'
import { openHome } from '@hermes/core/config/home.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { createLaunchd } from './launchd.ts'
import { profileName, serviceSuffix } from './service-name.ts'
import type { ServiceDefinition, SystemService } from './system-service.ts'
import { createSystemd } from './systemd.ts'
import type { SystemUser } from './system-user.ts'

export type ServiceScope = 'user' | 'system'

export interface OpenServiceOptions {
  readonly home: Home
  /** The process's own. */
  readonly environment: Environment
  readonly scope: ServiceScope
  /** Of `process.platform`. */
  readonly platform?: NodeJS.Platform
}

/** Where units of the whole system are. */
const systemFolder = '/etc/systemd/system'

/** The service of a home's gateway, installed or not. Undefined where the system has none of that kind. */
export function openService({
  home,
  environment,
  scope,
  platform = process.platform,
}: OpenServiceOptions): SystemService | undefined {
  const suffix = serviceSuffix(home)
  const dashed = suffix === '' ? '' : `-${suffix}`
  const userHome = environment['HOME'] || homedir()
  const userId = process.getuid?.()
  if (platform === 'darwin') {
    if (scope === 'system' || userId === undefined) return undefined
    const folder = join(userHome, 'Library', 'LaunchAgents')
    const label = `ai.hermes.gateway${dashed}`
    return createLaunchd({ label, folder, logFolder: home.path('logs'), environment, userId })
  }
  if (platform !== 'linux') return undefined
  const configFolder = environment['XDG_CONFIG_HOME'] || join(userHome, '.config')
  const folder = scope === 'system' ? systemFolder : join(configFolder, 'systemd', 'user')
  return createSystemd({ name: `hermes-gateway${dashed}`, scope, folder, environment, userId })
}

export interface InstalledService {
  readonly service: SystemService
  readonly scope: ServiceScope
}

/** The service that is installed for a home: the person's own before one of the whole system. */
export async function findService(
  options: Pick<OpenServiceOptions, 'home' | 'environment' | 'platform'>,
  scopes: readonly ServiceScope[] = ['user', 'system'],
): Promise<InstalledService | undefined> {
  for (const scope of scopes) {
    const service = openService({ ...options, scope })
    if (service?.isInstalled()) return { service, scope }
  }
  return undefined
}

export interface DefinitionOptions {
  readonly home: Home
  readonly environment: Environment
  /** Name under which the service knows itself. */
  readonly name: string
  /** The program that runs Hermes, with what it needs before the arguments; the first is absolute. */
  readonly program: readonly string[]
  readonly drainSeconds: number
  /** For a service of the whole system: as whom it runs. */
  readonly user?: SystemUser
}

/** What the service of a home is to run. */
export function serviceDefinition(options: DefinitionOptions): ServiceDefinition {
  const { name, environment, program, drainSeconds, user } = options
  const home = user ? homeOf(user, options) : options.home
  return {
    profile: profileName(home),
    // Named, since the profile that is chosen for good goes before the variable.
    command: [...program, 'gateway', 'run', '--replace', '--profile', profileName(home)],
    environment: {
      PATH: pathOf(program[0] ?? '', environment),
      HERMES_HOME: home.dir,
      HERMES_GATEWAY_SERVICE: name,
      ...(user && { HOME: user.home, USER: user.name, LOGNAME: user.name }),
    },
    folder: home.dir,
    drainSeconds,
    ...(user && { user: { name: user.name, group: user.group } }),
  }
}

/** A home inside one's own folder means the one in the same place of whoever it is installed for. */
function homeOf(user: SystemUser, { home, environment }: DefinitionOptions): Home {
  const inside = relative(environment['HOME'] || userInfo().homedir, home.dir)
  const isOwn = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
  return isOwn ? openHome({ HERMES_HOME: join(user.home, inside) }) : home
}

/** That of whoever installs it, with the program's own folder and the usual ones; what is relative means nothing there. */
function pathOf(program: string, environment: Environment): string {
  const own = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  return [...new Set([dirname(program), ...own, '/usr/local/bin', '/usr/bin', '/bin'])].join(delimiter)
}
