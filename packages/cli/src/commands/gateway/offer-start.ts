import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import type { Cli, Command } from '../../command.ts'
import { askLine } from '../auth/ask-line.ts'
import { install } from './install.ts'
import { serviceOf } from './service-of.ts'
import { start } from './start.ts'

/** After something was set up: starts the gateway if the person wants that; one that runs has seen the change itself. */
export async function offerStart(profile: Profile, cli: Cli): Promise<void> {
  if (await isTakenUp(profile, cli)) return
  const isInstalled = (await serviceOf(profile, { options: {} }, cli)) !== undefined
  const question = isInstalled
    ? 'Start the gateway now? y or n (y): '
    : 'Start the gateway? s: now, in the background; i: as a service, which the system keeps running; n: not now (s): '
  const answer = ((await askLine(cli, question, cli.signal)) ?? 'n').trim().toLowerCase()
  const command = commandOf(answer, isInstalled)
  await command?.run?.({ positionals: [], options: {} }, cli)
}

/** The same, where nobody can be asked. */
export async function tellStart(profile: Profile, cli: Cli): Promise<void> {
  if (await isTakenUp(profile, cli)) return
  cli.stderr.write('Next: "hermes gateway run" here, "start" in the background, or "install" as a service.\n')
}

async function isTakenUp({ home }: Profile, cli: Cli): Promise<boolean> {
  if (!(await findGateway(home))) return false
  cli.stderr.write('The gateway that runs takes it up by itself; "hermes gateway status" shows how it does.\n')
  return true
}

function commandOf(answer: string, isInstalled: boolean): Command | undefined {
  if (answer === '' || answer === (isInstalled ? 'y' : 's')) return start
  return answer === 'i' && !isInstalled ? install : undefined
}
