import { setTimeout as wait } from 'node:timers/promises'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { CommandError } from '../../command.ts'

/** How often it is looked whether the gateway is gone, ms. */
const lookMs = 100

/** Stops the profile's gateway and waits until it is gone. Resolves to whether one ran. Throws `CommandError`. */
export async function stopGateway({ home, config }: Pick<Profile, 'home' | 'config'>, signal: AbortSignal) {
  const running = await findGateway(home)
  if (!running) return false
  process.kill(running.pid, 'SIGTERM')
  const until = Date.now() + (config.agent.restart_drain_timeout + 10) * 1000
  while (await findGateway(home)) {
    signal.throwIfAborted()
    if (Date.now() > until) throw new CommandError(`The gateway (pid ${running.pid}) does not end; kill it by hand.`)
    await wait(lookMs, undefined, { signal })
  }
  return true
}
