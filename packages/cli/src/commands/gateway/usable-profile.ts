import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openLastProfile, openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { Cli } from '../../command.ts'

/**
 * The profile by its settings, or, where those cannot be used now, by those that were right last, which is told: a gateway
 * that runs goes on with them, and can be looked at, stopped and started all the same. Throws `ConfigError` where none are
 * known.
 */
export async function usableProfile({ environment, stderr }: Pick<Cli, 'environment' | 'stderr'>): Promise<Profile> {
  try {
    return await openProfile(environment)
  } catch (error) {
    const last = error instanceof ConfigError ? openLastProfile(environment) : undefined
    if (!(error instanceof ConfigError) || !last) throw error
    stderr.write(`! ${error.message}\n! Until that is mended, the settings hold that were right last.\n`)
    return last
  }
}
