import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import { switchToolsets, ToolsetError } from '@hermes/core/tools/switch-toolsets.ts'
import { CommandError, UsageError } from '../../command.ts'
import type { Cli, Command } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { platformOf, platformOption } from './platform-option.ts'

export const enable: Command = switching(true)
export const disable: Command = switching(false)

function switching(on: boolean): Command {
  return {
    name: on ? 'enable' : 'disable',
    summary: on ? 'Give toolsets, servers or single tools of servers' : 'Take them away',
    positionals: '<toolset|server|server:tool>...',
    options: { platform: platformOption },
    async run(input, cli) {
      const names = input.positionals.flatMap((name) => name.split(',')).filter((name) => name !== '')
      if (names.length === 0) throw new UsageError('Say which toolset; "hermes tools list" shows them.')
      const platform = platformOf(input)
      const changed = await change({ names, on, platform }, cli)
      const what = names.join(', ')
      const state = on ? 'on' : 'off'
      const where = names.every((name) => name.includes(':')) ? 'everywhere' : `for ${platform}`
      await writeOut(cli, changed ? `✓ ${what} ${state} ${where}.\n` : `${what}: ${state} ${where} already.\n`)
      return 0
    },
  }
}

/** Changes `config.yaml`; what is refused is told in its own words. */
export async function change(
  asked: Parameters<typeof switchToolsets>[0],
  { environment, signal }: Cli,
): Promise<boolean> {
  try {
    const profile = await openProfile(environment)
    return await switchToolsets(asked, { home: profile.home, environment: profile.environment, signal })
  } catch (error) {
    if (error instanceof ToolsetError) throw new UsageError(error.message)
    if (error instanceof ConfigError) throw new CommandError(error.message, 1, { cause: error })
    throw error
  }
}
