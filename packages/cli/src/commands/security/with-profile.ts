import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { type Cli, CommandError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'

/** Opens the profile for one command; what is wrong with it is told in its own words. */
export async function withProfile<Result>(cli: Cli, work: (profile: Profile) => Promise<Result>): Promise<Result> {
  try {
    return await work(await openProfile(cli.environment))
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(cleanText(error.message), 1, { cause: error })
    throw error
  }
}
