import type { Profile } from '@hermes/core/config/open-profile.ts'
import { endGateway, findGateway } from '@hermes/gateway/life/pid-file.ts'
import { CommandError } from '../../command.ts'

/** How much longer than its drain it may take, ms. */
const lateMs = 10_000

/** Stops the profile's gateway and waits until it is gone. Resolves to whether one ran. Throws `CommandError`. */
export async function stopGateway({ home, config }: Pick<Profile, 'home' | 'config'>, signal: AbortSignal) {
  const running = await findGateway(home)
  if (!running) return false
  const graceMs = config.agent.restart_drain_timeout * 1000 + lateMs
  if (await endGateway(home, { pid: running.pid, graceMs, isForced: false }, signal)) return true
  throw new CommandError(`The gateway (pid ${running.pid}) does not end; kill it by hand.`)
}
