import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import type { PlatformFacts } from '@hermes/gateway/life/setup/platform-facts.ts'
import type { Cli, Command } from '../../command.ts'
import { askLine } from '../auth/ask-line.ts'
import { install } from './install.ts'
import { restart } from './restart.ts'
import { serviceOf } from './service-of.ts'
import { start } from './start.ts'
import { tell } from './tell.ts'

/** After something was set up: starts the gateway if the person wants that; one that runs has mostly seen the change itself. */
export async function offerStart(facts: PlatformFacts, profile: Profile, cli: Cli): Promise<void> {
  const command = (await findGateway(profile.home))
    ? await askRestart(facts, cli)
    : await askStart((await serviceOf(profile, { options: {} }, cli)) !== undefined, cli)
  await command?.run?.({ positionals: [], options: {} }, cli)
}

/** The same, where nobody can be asked. */
export async function tellStart(facts: PlatformFacts, { home }: Profile, cli: Cli): Promise<void> {
  const running = facts.holdsAfterRestart
    ? 'The gateway that runs takes it up when it is started anew: "hermes gateway restart".'
    : takenUp
  const next = 'Next: "hermes gateway run" here, "start" in the background, or "install" as a service.'
  tell(cli, (await findGateway(home)) ? running : next)
}

const takenUp = 'The gateway that runs takes it up by itself; "hermes gateway status" shows how it does.'

async function askRestart({ holdsAfterRestart }: PlatformFacts, cli: Cli): Promise<Command | undefined> {
  if (!holdsAfterRestart) {
    tell(cli, takenUp)
    return undefined
  }
  const answer = await ask('The gateway that runs has to be started anew for it. Now? y or n (y): ', cli)
  return answer === '' || answer === 'y' ? restart : undefined
}

async function askStart(isInstalled: boolean, cli: Cli): Promise<Command | undefined> {
  const answer = await ask(
    isInstalled
      ? 'Start the gateway now? y or n (y): '
      : 'Start the gateway? s: now, in the background; i: as a service, which the system keeps running; n: not now (s): ',
    cli,
  )
  if (answer === '' || answer === (isInstalled ? 'y' : 's')) return start
  return answer === 'i' && !isInstalled ? install : undefined
}

async function ask(question: string, cli: Cli): Promise<string> {
  return ((await askLine(cli, question, cli.signal)) ?? 'n').trim().toLowerCase()
}
