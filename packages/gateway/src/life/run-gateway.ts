import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { startGateway } from '../gateway.ts'
import type { Gateway } from '../gateway.ts'
import { configuredPlatforms } from './configured-platforms.ts'
import type { GatewayControl } from './control.ts'
import { claimGateway, endGateway, markCleanShutdown, releaseGateway, takeCleanShutdown } from './pid-file.ts'
import type { RunningGateway } from './pid-file.ts'
import { createReloader } from './reload.ts'
import type { ReloaderOptions } from './reload.ts'
import { announceRestart, createRestarts, readRestartNotice } from './restarts.ts'
import type { GatewayService } from './service.ts'
import { startServices } from './start-services.ts'
import type { Services } from './start-services.ts'
import { readGatewayState } from './state-file.ts'
import { createReporter } from './state-reporter.ts'
import { watchSettings } from './watch-settings.ts'

export interface RunGatewayOptions {
  readonly agent: OpenContext
  /** What happens, for people: one line each. */
  readonly tell: (line: string) => void
  /** What runs beside the platforms. */
  readonly services?: readonly GatewayService[]
  readonly control: GatewayControl
  /** Reads the settings as they are now. Throws `ConfigError`. */
  readonly reread: ReloaderOptions['reread']
  /** Of the platforms that are set up only these run; all when absent. */
  readonly only?: readonly string[] | undefined
  /** Ends another gateway of the profile first. */
  readonly isReplacing?: boolean
  /** It runs. */
  readonly onRunning?: () => void
}

/** How it ended, or why it did not begin. */
export type GatewayEnd =
  | { readonly type: 'stopped' }
  /** It is to be started anew. */
  | { readonly type: 'restart' }
  | { readonly type: 'running'; readonly pid: number }
  | { readonly type: 'nothing-to-do'; readonly incomplete: readonly string[] }

/** Others that come in between while one is replaced. */
const maxReplaced = 5

/** How much longer than its drain one that is replaced may take, ms. */
const lateMs = 10_000

/**
 * Keeps the agent reachable until `signal` aborts or a restart is asked for; then takes no new work, lets what runs end
 * for at most `agent.restart_drain_timeout`, and stops.
 */
export async function runGateway(options: RunGatewayOptions, signal: AbortSignal): Promise<GatewayEnd> {
  const { agent, tell, services = [], control, only } = options
  const { home, config, log } = agent
  const { ready, incomplete } = await configuredPlatforms(agent, only)
  for (const { label, reason } of incomplete) tell(`! ${label} is not used: ${reason}`)
  if (ready.length === 0 && services.every(({ isCompanion }) => isCompanion)) {
    return { type: 'nothing-to-do', incomplete: incomplete.map(({ label, reason }) => `${label}: ${reason}`) }
  }
  const other = await claim(options, signal)
  if (other) return { type: 'running', pid: other.pid }
  const [isClean, last] = await Promise.all([takeCleanShutdown(home), readGatewayState(home)])
  // Before the first one there was none, and one that could not begin had nothing open.
  if (!isClean && last && last.gateway_state !== 'startup_failed') {
    log.warn({}, 'the last gateway did not end in order; what was open goes on')
  }
  const reporter = createReporter(agent, tell)
  const drainSeconds = config.agent.restart_drain_timeout
  const before = await readRestartNotice(home)
  const restarts = createRestarts({ home, before, drainSeconds, restart: () => control.restart() })
  try {
    await using gateway = await startGateway({ agent, platforms: ready, onStatus: reporter.onStatus, restarts })
    await using beside = await startServices(services, gateway, reporter.onStatus)
    if (ready.length === 0) beside.throwIfNone()
    reporter.follow(gateway, beside)
    await reporter.enter('running')
    const labels = [...ready.map(({ platform }) => platform.label), ...beside.labels]
    tell(`The gateway runs for ${labels.join(', ')}. Stop it with Ctrl-C.`)
    options.onRunning?.()
    const ending = AbortSignal.any([signal, control.restarting])
    await untilEnd({ ...options, gateway, before }, ending)
    reporter.drain(control.restarting.aborted && !signal.aborted)
    await drain({ gateway, beside, seconds: drainSeconds, tell })
  } catch (error) {
    await reporter.fail(error)
    throw error
  } finally {
    await reporter.enter('stopped')
    await releaseGateway(home)
  }
  await markCleanShutdown(home).catch((error: unknown) =>
    log.error({ error: String(error) }, 'it cannot be noted that the gateway has ended in order'),
  )
  tell('The gateway has stopped.')
  return { type: control.restarting.aborted && !signal.aborted ? 'restart' : 'stopped' }
}

/** Makes this process the gateway; resolves to the one that is it, where that may not be ended or does not end. */
async function claim(
  { agent, tell, isReplacing = false }: RunGatewayOptions,
  signal: AbortSignal,
): Promise<RunningGateway | undefined> {
  const { home, config } = agent
  let other = await claimGateway(home)
  if (!isReplacing) return other
  for (let replaced = 0; other && replaced < maxReplaced; replaced++) {
    tell(`Ending the gateway that runs (pid ${other.pid}) …`)
    const graceMs = config.agent.restart_drain_timeout * 1000 + lateMs
    await endGateway(home, { pid: other.pid, graceMs, isForced: true }, signal)
    other = await claimGateway(home)
  }
  return other
}

interface Running extends RunGatewayOptions {
  readonly gateway: Gateway
  readonly before: Awaited<ReturnType<typeof readRestartNotice>>
}

/** Takes up changed settings until the end comes, and says that it is back where somebody waits for that. */
async function untilEnd({ agent, gateway, control, reread, tell, before, only }: Running, ending: AbortSignal) {
  const { home, log } = agent
  const reload = createReloader({ agent, gateway, reread, tell, only })
  using _watch = watchSettings({ home, log }, () => void reload(false))
  control.onReload(() => void reload(true))
  if (before) {
    announceRestart(before, { home, courier: gateway.courier, log }, ending).catch((error: unknown) =>
      log.error({ error: String(error) }, 'the chat that asked for the restart cannot be told'),
    )
  }
  await aborted(ending)
  control.onReload(() => {})
}

interface Draining {
  readonly gateway: Gateway
  readonly beside: Services
  readonly seconds: number
  readonly tell: (line: string) => void
}

async function drain({ gateway, beside, seconds, tell }: Draining): Promise<void> {
  const busy = gateway.busy + beside.busy
  if (busy > 0) tell(`Waiting for what runs (${busy}), at most ${seconds} s …`)
  await Promise.all([gateway.drain(seconds * 1000), beside.drain(seconds * 1000)])
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
