import type { AgentContext } from '@hermes/core/agent/context.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import type { JobStore } from '@hermes/core/cron/job-store.ts'
import { createScheduler } from '@hermes/core/cron/scheduler.ts'
import type { GatewayService } from '../life/service.ts'
import { courierDelivery } from './courier-delivery.ts'

/**
 * Runs the profile's scheduled jobs while the gateway runs, and brings their results to its chats. A profile that has
 * active jobs keeps a gateway running by itself.
 */
export async function cronService({ home, clock }: Pick<AgentContext, 'home' | 'clock'>): Promise<GatewayService> {
  const store = openJobs({ home, clock })
  return {
    name: 'cron',
    label: 'scheduled jobs',
    isCompanion: !(await mayHaveActive(store)),
    async start(agent, courier) {
      // A file that cannot be read is told, and looked at again with the next try.
      await store.list()
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

/** Where nobody can tell, what keeps jobs from running is told by whoever starts them. */
async function mayHaveActive(store: JobStore): Promise<boolean> {
  try {
    return (await store.list()).jobs.some(({ enabled }) => enabled)
  } catch {
    return true
  }
}
