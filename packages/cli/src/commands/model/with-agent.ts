import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import { type Cli, CommandError } from '../../command.ts'

/** Opens the profile's agent for as long as `work` lasts. What it refuses is told in its own words. */
export async function withAgent(cli: Cli, work: (agent: OpenContext) => Promise<number>): Promise<number> {
  const { createContext } = await import('@hermes/core/agent/create-context.ts')
  try {
    await using agent = await createContext({ environment: cli.environment, cwd: cli.cwd })
    return await work(agent)
  } catch (error) {
    if (error instanceof ModelError || error instanceof ConfigError) {
      throw new CommandError(error.message, 1, { cause: error })
    }
    throw error
  }
}
