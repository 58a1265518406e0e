import { setTimeout as wait } from 'node:timers/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { findGateway } from '@hermes/gateway/life/pid-file.ts'
import { readGatewayState } from '@hermes/gateway/life/state-file.ts'
import type { SystemService } from '@hermes/gateway/life/system-service/system-service.ts'
import { CommandError } from '../../command.ts'

/** How long it may take until the gateway runs, and how often it is looked, ms. */
const [startMs, lookMs] = [30_000, 200]

/** Waits until the gateway that a service has started runs. Resolves to its id. Throws `CommandError`. */
export async function untilRunning(home: Home, service: SystemService, signal: AbortSignal): Promise<number> {
  const until = performance.now() + startMs
  for (;;) {
    const [running, report] = await Promise.all([findGateway(home), readGatewayState(home)])
    if (running && report?.pid === running.pid && report.gateway_state === 'running') return running.pid
    const state = running ? undefined : await service.state(signal)
    if (state && !state.isActive) {
      const reason = report?.gateway_state === 'startup_failed' ? report.exit_reason : undefined
      const why = `${state.text}${reason ? `: ${reason}` : ''}`
      throw new CommandError(`The gateway did not start (${why}). What it said: ${service.logs}`)
    }
    if (performance.now() > until)
      throw new CommandError('The gateway does not say that it runs; "hermes gateway status".')
    await wait(lookMs, undefined, { signal })
  }
}
