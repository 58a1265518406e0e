import type { Command } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { probeText } from './probe-text.ts'
import { serverNamed, withServers } from './with-servers.ts'

export const check: Command = {
  name: 'test',
  summary: 'Connect to a server and show its tools; signs you in where that is needed',
  positionals: '<name>',
  options: {
    json: { type: 'boolean', description: 'For programs' },
    'no-browser': { type: 'boolean', description: 'Sign in by pasting what a browser elsewhere shows' },
  },
  async run({ positionals: [name], options }, cli) {
    return withServers(
      cli,
      async ({ servers, probe }) => {
        const value = serverNamed(name, servers)
        const probed = await probe(name ?? '', value)
        if (options['json'] === true) await writeJson(cli, probed)
        else {
          const took = `${Math.round(probed.durationMs)} ms`
          await writeOut(
            cli,
            `✓ ${name} answers (${took}), with ${probed.tools.length} tools:\n${probeText(probed, cli)}`,
          )
        }
        return 0
      },
      { noBrowser: options['no-browser'] === true },
    )
  },
}
