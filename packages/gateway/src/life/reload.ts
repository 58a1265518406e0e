import { isDeepStrictEqual } from 'node:util'
import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { Gateway } from '../gateway.ts'
import { configuredPlatforms } from './configured-platforms.ts'
import { lateChanges } from './late-changes.ts'
import type { PlatformChange } from './platform-set.ts'

export interface ReloaderOptions {
  readonly agent: OpenContext
  readonly gateway: Pick<Gateway, 'reload'>
  /** Reads the settings as they are now. Throws `ConfigError`. */
  readonly reread: () => Promise<Pick<Profile, 'config' | 'environment'>>
  readonly tell: (line: string) => void
  /** See `RunGatewayOptions`. */
  readonly only?: readonly string[] | undefined
}

/** Takes up changed settings, one change after the other. `isAsked`: somebody wants to hear of it in any case. */
export function createReloader(options: ReloaderOptions): (isAsked: boolean) => Promise<void> {
  const { agent, gateway, reread, tell, only } = options
  let last: Pick<Profile, 'config' | 'environment'> = agent
  let queue: Promise<void> = Promise.resolve()

  async function reload(isAsked: boolean): Promise<void> {
    const read = await readSettings(reread)
    if (typeof read === 'string') {
      agent.log.warn({ error: read }, 'changed settings are wrong; those from before stay')
      tell(`! The changed settings cannot be used, those from before stay: ${read}`)
      return
    }
    const { config, environment } = read
    if (isDeepStrictEqual(config, last.config) && isDeepStrictEqual(environment, last.environment)) {
      if (isAsked) tell('No setting has changed.')
      return
    }
    const settings = { config, environment, ...agent.renewed({ config, environment }) }
    const { ready, incomplete } = await configuredPlatforms({ ...agent, ...settings }, only)
    const changes = await gateway.reload(settings, ready)
    const late = lateChanges(read, last)
    last = { config, environment }
    tell('The changed settings hold from now on.')
    for (const { label, reason } of incomplete) tell(`! ${label} is not used: ${reason}`)
    for (const change of changes) tell(changeLine(change))
    if (late.length > 0) tell(`After a restart only: ${late.join(', ')}`)
  }
  return (isAsked) => {
    queue = queue
      .then(() => reload(isAsked))
      .catch((error: unknown) => agent.log.error({ error: String(error) }, 'changed settings cannot be taken up'))
    return queue
  }
}

/** The settings, or what is wrong with them. */
async function readSettings(reread: ReloaderOptions['reread']) {
  try {
    return await reread()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

function changeLine({ label, change }: PlatformChange): string {
  const words = { added: 'is set up now', removed: 'is not used any more', changed: 'connects with its new settings' }
  return `${label} ${words[change]}.`
}
