import { openProfile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { readGatewayState } from '@hermes/gateway/life/state-file.ts'
import type { Command } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'

export const status: Command = {
  name: 'status',
  summary: 'Whether it runs, and how its platforms do',
  options: { json: { type: 'boolean', description: 'For programs' } },
  async run({ options }, cli) {
    const { home } = await openProfile(cli.environment)
    const [running, report] = await Promise.all([findGateway(home), readGatewayState(home)])
    const isOurs = running !== undefined && report?.pid === running.pid
    const platforms = isOurs ? report.platforms : {}
    if (options['json'] === true) {
      await writeJson(cli, {
        running: running !== undefined,
        pid: running?.pid,
        state: report?.gateway_state,
        platforms,
      })
      return running ? 0 : 1
    }
    const lines = running
      ? [
          `The gateway runs (pid ${running.pid}).`,
          ...Object.entries(platforms).map(([name, { state, error_message: error }]) => {
            return `  ${name.padEnd(14)} ${state}${error ? `  ${cleanText(error)}` : ''}`
          }),
        ]
      : ['The gateway does not run. Start it with "hermes gateway run".']
    await writeOut(cli, `${lines.join('\n')}\n`)
    return running ? 0 : 1
  },
}
