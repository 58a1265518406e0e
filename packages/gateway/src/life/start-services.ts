import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Courier } from '../deliver/courier.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import type { GatewayService, RunningService } from './service.ts'

/** The services that run, and what became of the others. Disposing of it ends them. */
export interface Services extends AsyncDisposable {
  readonly statuses: readonly PlatformStatus[]
  readonly labels: readonly string[]
  readonly busy: number
  drain(timeoutMs: number): Promise<void>
  /** Throws what kept a service from running where none runs that is a reason to go on. */
  throwIfNone(): void
}

/** Starts what runs beside the platforms, all at once; what cannot run keeps nothing else from it. */
export async function startServices(
  services: readonly GatewayService[],
  { agent, courier }: { readonly agent: AgentContext; readonly courier: Courier },
  onStatus: (status: PlatformStatus) => void,
): Promise<Services> {
  const running: RunningService[] = []
  const statuses: PlatformStatus[] = []
  const labels: string[] = []
  let failure: unknown
  let isWorthwhile = false
  const starts = await Promise.allSettled(services.map(async (service) => service.start(agent, courier)))
  for (const [at, { name, label, isCompanion }] of services.entries()) {
    const status = { platform: name, since: agent.clock.now() }
    const start = starts[at]
    if (start?.status === 'fulfilled') {
      const { value } = start
      running.push(value)
      if (isCompanion !== true) isWorthwhile = true
      labels.push(value.place === undefined ? label : `${label} (${value.place})`)
      statuses.push({ ...status, state: 'connected' })
    } else {
      failure = start?.reason
      const text = failure instanceof Error ? failure.message : String(failure)
      statuses.push({ ...status, state: 'fatal', error: agent.redactor.redact(text) })
    }
  }
  for (const status of statuses) onStatus(status)
  return {
    statuses,
    labels,
    get busy() {
      return running.reduce((sum, service) => sum + service.busy, 0)
    },
    async drain(timeoutMs) {
      await Promise.all(running.map((service) => service.drain(timeoutMs)))
    },
    throwIfNone() {
      if (!isWorthwhile) throw failure
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((service) => service[Symbol.asyncDispose]()))
    },
  }
}
