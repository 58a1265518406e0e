import type { Command } from '../../command.ts'
import { writeOut } from '../sessions/write-out.ts'
import { orCommandError, serviceOf, systemOption } from './service-of.ts'
import { usableProfile } from './usable-profile.ts'

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Stop the service and take it away; settings and conversations stay',
  options: { system: systemOption },
  async run(input, cli) {
    const installed = await serviceOf(await usableProfile(cli), input, cli)
    if (!installed) {
      await writeOut(cli, 'No service is installed.\n')
      return 0
    }
    await orCommandError(() => installed.service.uninstall(cli.signal))
    await writeOut(cli, `✓ ${installed.service.name} is gone.\n`)
    return 0
  },
}
