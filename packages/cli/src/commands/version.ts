import { homedir } from 'node:os'
import { openHome } from '@hermes/core/config/home.ts'
import type { Command } from '../command.ts'
import { version } from '../version.ts'

export const command: Command = {
  name: 'version',
  summary: 'Show the version, the Node it runs on and its home',
  async run(_input, cli) {
    const home = openHome(cli.environment).dir
    const shown = home.startsWith(`${homedir()}/`) ? `~${home.slice(homedir().length)}` : home
    cli.stdout.write(`Hermes Agent v${version}\nNode ${process.versions.node}\nHome ${shown}\n`)
    return 0
  },
}
