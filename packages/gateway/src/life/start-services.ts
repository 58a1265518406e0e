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

/** Starts what runs beside the platforms; what cannot run keeps nothing else from it. */
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
  for (const service of services) {
    const { name, label } = service
    const status = { platform: name, since: agent.clock.now() }
    try {
      const started = await service.start(agent, courier)
      running.push(started)
      if (service.isCompanion !== true) isWorthwhile = true
      labels.push(started.place === undefined ? label : `${label} (${started.place})`)
      statuses.push({ ...status, state: 'connected' })
    } catch (error) {
      failure = error
      const text = error instanceof Error ? error.message : String(error)
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
