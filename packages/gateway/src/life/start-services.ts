import { setTimeout as wait } from 'node:timers/promises'
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

/** Waits between two tries to start a service, ms. */
const firstWaitMs = 1_000
const maxWaitMs = 60_000

export interface ServicesOptions {
  readonly agent: AgentContext
  readonly courier: Courier
  /** Of the wait before the second try, ms. */
  readonly retryMs?: number
}

/**
 * Starts what runs beside the platforms, all at once; what cannot run keeps nothing else from it, and is tried again: a port
 * is free or a file is mended later. Resolves when each has been tried once.
 */
export async function startServices(
  services: readonly GatewayService[],
  { agent, courier, retryMs = firstWaitMs }: ServicesOptions,
  onStatus: (status: PlatformStatus) => void,
): Promise<Services> {
  const ending = new AbortController()
  const slots = services.map((service): Slot => {
    return { service, status: statusOf(service, agent, 'connecting'), running: undefined, failure: undefined }
  })

  const tryOnce = async (slot: Slot): Promise<boolean> => {
    try {
      slot.running = await slot.service.start(agent, courier)
      slot.failure = undefined
      slot.status = statusOf(slot.service, agent, 'connected')
    } catch (error) {
      slot.failure = error
      const text = agent.redactor.redact(error instanceof Error ? error.message : String(error))
      slot.status = { ...statusOf(slot.service, agent, 'retrying'), error: text }
    }
    onStatus(slot.status)
    return slot.running !== undefined
  }
  const untilRunning = async (slot: Slot): Promise<void> => {
    for (let pause = retryMs; !ending.signal.aborted; pause = Math.min(maxWaitMs, pause * 2)) {
      await wait(pause, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
      if (ending.signal.aborted || (await tryOnce(slot))) return
    }
  }
  await Promise.all(slots.map(tryOnce))
  const retrying = slots.filter(({ running }) => !running).map(untilRunning)
  const running = () => slots.flatMap((slot) => slot.running ?? [])
  return {
    get statuses() {
      return slots.map(({ status }) => status)
    },
    labels: slots.flatMap(({ service: { label }, running: one }) => {
      if (!one) return []
      return one.place === undefined ? label : `${label} (${one.place})`
    }),
    get busy() {
      return running().reduce((sum, service) => sum + service.busy, 0)
    },
    async drain(timeoutMs) {
      ending.abort()
      await Promise.all(running().map((service) => service.drain(timeoutMs)))
    },
    throwIfNone() {
      if (slots.some(({ service, running: one }) => one && service.isCompanion !== true)) return
      throw slots.findLast(({ failure }) => failure !== undefined)?.failure
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await Promise.all(retrying)
      await Promise.all(running().map((service) => service[Symbol.asyncDispose]()))
    },
  }
}

interface Slot {
  readonly service: GatewayService
  status: PlatformStatus
  running: RunningService | undefined
  /** Why it does not run. */
  failure: unknown
}

function statusOf({ name }: GatewayService, { clock }: AgentContext, state: PlatformStatus['state']): PlatformStatus {
  return { platform: name, since: clock.now(), state }
}
