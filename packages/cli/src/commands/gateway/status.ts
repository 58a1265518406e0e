import { storageProblem } from '@hermes/core/storage/storage-problem.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { readGatewayState } from '@hermes/gateway/life/state-file.ts'
import type { Command } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { switchedOn } from './chosen.ts'
import { systemOption } from './service-of.ts'
import { usableProfile } from './usable-profile.ts'

export const status: Command = {
  name: 'status',
  summary: 'Whether it runs, and how its platforms do',
  options: {
    deep: { type: 'boolean', description: 'Also the service, what waits, jobs, the API server and accounts' },
    system: systemOption,
    json: { type: 'boolean', description: 'For programs' },
  },
  async run(input, cli) {
    const profile = await usableProfile(cli)
    const { home } = profile
    const [running, report, problem] = await Promise.all([
      findGateway(home),
      readGatewayState(home),
      storageProblem(home.dir),
    ])
    const isOurs = running !== undefined && report?.pid === running.pid
    // What runs may have been named at its start, where no setting switches it on.
    const asRunning = isOurs ? switchedOn(profile, Object.keys(report.platforms)) : profile
    const deep =
      input.options['deep'] === true
        ? await (await import('./deep-status.ts')).deepStatus(asRunning, input, cli)
        : undefined
    if (input.options['json'] === true) {
      await writeJson(cli, {
        running: running !== undefined,
        pid: running?.pid,
        state: report?.gateway_state,
        active_agents: isOurs ? report.active_agents : undefined,
        platforms: isOurs ? report.platforms : {},
        storage_problem: problem,
        updated_at: report?.updated_at,
        ...deep,
      })
      return running ? 0 : 1
    }
    const { deepLines, statusLines } = await import('./status-lines.ts')
    const lines = [
      ...statusLines(running, isOurs || !running ? report : undefined),
      ...(problem === undefined ? [] : [`! Nothing can be stored, so that nobody is answered: ${problem}.`]),
      ...(deep ? deepLines(deep, Date.now(), running !== undefined) : []),
    ]
    await writeOut(cli, `${lines.join('\n')}\n`)
    return running ? 0 : 1
  },
}
