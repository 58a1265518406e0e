import type { AgentContext } from '@hermes/core/agent/context.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import { createScheduler } from '@hermes/core/cron/scheduler.ts'
import type { GatewayService } from '../life/service.ts'
import { courierDelivery } from './courier-delivery.ts'

/**
 * Runs the profile's scheduled jobs while the gateway runs, and brings their results to its chats. A profile that has
 * active jobs keeps a gateway running by itself.
 */
export async function cronService({ home, clock }: Pick<AgentContext, 'home' | 'clock'>): Promise<GatewayService> {
  const { jobs } = await openJobs({ home, clock }).list()
  return {
    name: 'cron',
    label: 'scheduled jobs',
    isCompanion: !jobs.some(({ enabled }) => enabled),
    async start(agent, courier) {
      const scheduler = createScheduler({ agent, delivery: courierDelivery(courier) })
      await scheduler.start()
      return {
        get busy() {
          return scheduler.running
        },
        drain: (drainMs) => scheduler.stop({ drainMs }),
        [Symbol.asyncDispose]: () => scheduler.stop({ drainMs: 0 }),
      }
    },
  }
}
