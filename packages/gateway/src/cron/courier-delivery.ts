import { CronError } from '@hermes/core/cron/cron-error.ts'
import type { CronDelivery } from '@hermes/core/cron/delivery.ts'
import type { CronJob } from '@hermes/core/cron/job.ts'
import type { Courier } from '../deliver/courier.ts'
import { DeliveryError } from '../deliver/delivery-error.ts'
import type { DeliveryOrigin } from '../deliver/target.ts'

/** Results of jobs go through the outbox: once for each time of a job, in parts that the platform takes. */
export function courierDelivery(courier: Courier): CronDelivery {
  return {
    async deliver({ job, key, target, text }, signal) {
      try {
        const chat = await courier.find(target, originOf(job))
        if (!chat) return 'local'
        await courier.deliver({ key: `cron:${key}`, chat, text }, signal)
        return 'sent'
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        throw new CronError('delivery-failed', error.message, { cause: error })
      }
    },
  }
}

function originOf({ origin }: CronJob): DeliveryOrigin | undefined {
  if (!origin) return undefined
  const [chatId, threadId] = [origin.chat_id ?? undefined, origin.thread_id ?? undefined]
  return {
    platform: origin.platform,
    ...(chatId !== undefined && { chatId: String(chatId) }),
    ...(threadId !== undefined && { threadId: String(threadId) }),
  }
}
