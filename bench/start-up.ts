import { temporaryHome } from '@hermes/testing'
import { interleaved, timed } from './measure.ts'
import type { Row } from './measure.ts'
import { hermes, node } from './processes.ts'

/** What answering before any work costs. */
export async function startUp(): Promise<readonly Row[]> {
  await using home = await temporaryHome()
  const env = home.environment
  const figures = await interleaved(21, {
    bare: () => timed(() => node(['-e', '0'], env)),
    version: () => timed(() => node([hermes, '--version'], env)),
    help: () => timed(() => node([hermes, '--help'], env)),
    config: () => timed(() => node([hermes, 'config', 'get', 'agent.max_turns'], env)),
  })
  const row = (name: string, value: number, ratioAtMost: number): Row => ({
    name,
    value,
    unit: 'ms',
    floor: figures.bare,
    floorName: 'node -e 0',
    goal: { ratioAtMost },
  })
  return [
    row('hermes --version', figures.version, 1.6),
    row('hermes --help', figures.help, 1.6),
    { ...row('hermes config get', figures.config, 0), goal: undefined },
  ]
}
