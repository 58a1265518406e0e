import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openHome } from '@hermes/core/config/home.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import type { Cli } from '../command.ts'

/** Runs what changes settings; says where a gateway that runs takes that up only when it is started anew. */
export async function tellingOfRestart(cli: Cli, change: () => Promise<number>): Promise<number> {
  if (!(await findGateway(openHome(cli.environment)))) return change()
  const before = await settings(cli)
  const code = await change()
  const now = before && (await settings(cli))
  if (!now) return code
  const { lateChanges } = await import('@hermes/gateway/life/late-changes.ts')
  const late = lateChanges(now, before)
  if (late.length > 0) {
    cli.stderr.write(`! The gateway that runs takes up ${late.join(', ')} after "hermes gateway restart" only.\n`)
  }
  return code
}

/** Undefined where they are wrong: then the gateway goes on with others. */
async function settings(cli: Cli): Promise<Profile | undefined> {
  const { openProfile } = await import('@hermes/core/config/open-profile.ts')
  try {
    return await openProfile(cli.environment)
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
