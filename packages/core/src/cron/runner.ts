import type { Clock } from '../agent/clock.ts'
import { agentView } from '../agent/agent-view.ts'
import type { AgentContext } from '../agent/context.ts'
import { noGateway } from './delivery.ts'
import type { CronDelivery } from './delivery.ts'
import type { JobsPlace } from './jobs-file.ts'
import type { RunEnd } from './claim-due.ts'
import { openRunStore } from './run-store.ts'
import type { RunStore } from './run-store.ts'
import { openZone } from './zone.ts'

export interface RunnerOptions {
  readonly agent: AgentContext
  /** Default: there is no gateway. */
  readonly delivery?: CronDelivery
  /** Default: the agent's. */
  readonly clock?: Clock
  /** Jobs that run side by side. Default 3. */
  readonly maxConcurrent?: number
  /** Told of every run that ends. */
  readonly onRun?: (run: FinishedRun) => void
}

export const usualConcurrency = 3

/** What running jobs needs. */
export interface CronRunner {
  /** A run takes a copy: its settings stay as they are when it begins. */
  readonly agent: AgentContext
  readonly delivery: CronDelivery
  readonly place: JobsPlace
  readonly runs: RunStore
}

/** One run that has ended. */
export interface FinishedRun extends RunEnd {
  readonly jobId: string
  readonly jobName: string
  readonly scheduledAt: number
  readonly outputPath: string | undefined
  readonly response: string
}

/** Opens it; the caller closes its `runs`. */
export async function openRunner({
  agent,
  delivery = noGateway,
  clock = agent.clock,
}: RunnerOptions): Promise<CronRunner> {
  const place = { home: agent.home, zone: openZone(clock), now: () => clock.now() }
  const log = agent.log.child({ name: 'cron' })
  return { agent: agentView(() => agent, { clock, log }), delivery, place, runs: await openRunStore(agent.home) }
}
