import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { startGateway } from '../gateway.ts'
import type { Gateway } from '../gateway.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import { configuredPlatforms } from './configured-platforms.ts'
import { claimGateway, markCleanShutdown, releaseGateway, takeCleanShutdown } from './pid-file.ts'
import type { GatewayService } from './service.ts'
import { startServices } from './start-services.ts'
import type { Services } from './start-services.ts'
import { writeGatewayState } from './state-file.ts'
import type { GatewayState } from './state-file.ts'

export interface RunGatewayOptions {
  readonly agent: OpenContext
  /** What happens, for people: one line each. */
  readonly tell: (line: string) => void
  /** What runs beside the platforms. */
  readonly services?: readonly GatewayService[]
}

/** Why it did not begin. */
export type GatewayRefusal =
  | { readonly type: 'running'; readonly pid: number }
  | { readonly type: 'nothing-to-do'; readonly incomplete: readonly string[] }

/**
 * Keeps the agent reachable until `signal` aborts; then takes no new work, lets what runs end for at most
 * `agent.restart_drain_timeout`, and stops. Resolves to why it did not begin, where it did not.
 */
export async function runGateway(
  { agent, tell, services = [] }: RunGatewayOptions,
  signal: AbortSignal,
): Promise<GatewayRefusal | undefined> {
  const { home, config, log } = agent
  const { ready, incomplete } = await configuredPlatforms(agent)
  for (const { label, reason } of incomplete) tell(`! ${label} is not used: ${reason}`)
  if (ready.length === 0 && services.every(({ isCompanion }) => isCompanion)) {
    return { type: 'nothing-to-do', incomplete: incomplete.map(({ label, reason }) => `${label}: ${reason}`) }
  }
  const other = await claimGateway(home)
  if (other) return { type: 'running', pid: other.pid }
  if (!(await takeCleanShutdown(home))) log.warn({}, 'the last gateway did not end in order; what was open goes on')
  const reporter = createReporter(agent, tell)
  try {
    await using gateway = await startGateway({ agent, platforms: ready, onStatus: reporter.onStatus })
    await using beside = await startServices(services, { agent, courier: gateway.courier }, reporter.onStatus)
    if (ready.length === 0) beside.throwIfNone()
    reporter.follow(gateway, beside)
    await reporter.enter('running')
    const labels = [...ready.map(({ platform }) => platform.label), ...beside.labels]
    tell(`The gateway runs for ${labels.join(', ')}. Stop it with Ctrl-C.`)
    await aborted(signal)
    await reporter.enter('draining')
    const seconds = config.agent.restart_drain_timeout
    const busy = gateway.busy + beside.busy
    if (busy > 0) tell(`Waiting for ${busy} running conversations, at most ${seconds} s …`)
    await Promise.all([gateway.drain(seconds * 1000), beside.drain(seconds * 1000)])
  } finally {
    await reporter.enter('stopped')
    await releaseGateway(home)
  }
  await markCleanShutdown(home)
  tell('The gateway has stopped.')
  return undefined
}

/** Writes how the gateway does, one state after the other. */
function createReporter({ home, clock, log }: OpenContext, tell: (line: string) => void) {
  let gateway: Gateway | undefined
  let beside: Services | undefined
  let state: GatewayState = 'starting'
  let writing: Promise<void> = Promise.resolve()
  const write = () => {
    const busy = (gateway?.busy ?? 0) + (beside?.busy ?? 0)
    const platforms = [...(gateway?.platforms() ?? []), ...(beside?.statuses ?? [])]
    const report = { state, busy, platforms, now: clock.now() }
    writing = writing
      .then(() => writeGatewayState(home, report))
      .catch((error: unknown) => log.error({ error: String(error) }, 'the state of the gateway cannot be written'))
    return writing
  }
  return {
    follow(running: Gateway, services: Services) {
      gateway = running
      beside = services
    },
    enter: (next: GatewayState) => {
      state = next
      return write()
    },
    onStatus: ({ platform, state: current, error }: PlatformStatus) => {
      if (current !== 'connecting' && state !== 'draining') tell(`${platform}: ${current}${error ? ` (${error})` : ''}`)
      void write()
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
