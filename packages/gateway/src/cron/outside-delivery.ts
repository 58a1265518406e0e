import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { CronDelivery } from '@hermes/core/cron/delivery.ts'
import { openOutsideCourier } from '../deliver/outside-courier.ts'
import { courierDelivery } from './courier-delivery.ts'

/** Brings results of jobs to chats from a process that is no gateway. */
export function outsideDelivery(agent: AgentContext): CronDelivery {
  return {
    async deliver(message, signal) {
      using outside = await openOutsideCourier(agent)
      return await courierDelivery(outside.courier).deliver(message, signal)
    },
  }
}
