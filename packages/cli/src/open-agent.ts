import { createContext } from '@hermes/core/agent/create-context.ts'
import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { withMessenger } from '@hermes/core/agent/with-messenger.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Cli } from './command.ts'
import { outsideMessenger } from './outside-messenger.ts'

/** Opens the profile's agent for a chat, with what the flags change in it. Tells about odd settings on stderr. */
export async function openAgent(options: ChatOptions, cli: Cli, profile?: Profile): Promise<OpenContext> {
  const opened = profile ?? (await openProfile(cli.environment))
  if (options.verbose) for (const notice of opened.notices) cli.stderr.write(`! ${notice}\n`)
  const config = options.checkpoints ? withCheckpoints(opened.config) : opened.config
  const profileNow = { ...opened, config }
  const agent = await createContext({
    environment: cli.environment,
    cwd: options.cwd,
    profile: profileNow,
    component: 'cli',
  })
  return withMessenger(agent, outsideMessenger)
}

function withCheckpoints(config: Config): Config {
  return { ...config, checkpoints: { ...config.checkpoints, enabled: true } }
}
