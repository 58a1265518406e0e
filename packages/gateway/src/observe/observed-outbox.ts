import type { ObservedWork, WorkObserver } from '@hermes/core/agent/work-observer.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { OutboundPart } from '../messages/outbound-message.ts'
import type { Outbox } from '../store/outbox.ts'

export interface ObservedOutboxOptions {
  readonly log: Logger
  readonly observer: WorkObserver | undefined
}

/** What is known of a delivery under way. */
interface Delivery {
  readonly platform: string
  readonly startedAt: number
  readonly work: ObservedWork | undefined
}

/** The same outbox; what becomes of each thing that is sent is told to who watches and stands in the log. */
export function observedOutbox(outbox: Outbox, { log, observer }: ObservedOutboxOptions): Outbox {
  // The first of each lane at most.
  const seen = new Map<number, { readonly platform: string; readonly part: OutboundPart['type'] }>()
  const underWay = new Map<number, Delivery>()

  const end = (id: number, outcome: 'sent' | 'later' | 'dead', code?: string) => {
    const delivery = underWay.get(id)
    underWay.delete(id)
    seen.delete(id)
    if (!delivery) return
    const { platform, startedAt, work } = delivery
    work?.end({ status: outcome, isFailure: outcome === 'dead', ...(code !== undefined && { code }) })
    const fields = { name: `gateway.${platform}`, id, durationMs: Math.round(performance.now() - startedAt) }
    if (outcome === 'sent') log.info(fields, 'message delivered')
    else if (outcome === 'dead') log.warn({ ...fields, code }, 'message given up')
  }
  return {
    ...outbox,
    async next(platform) {
      const found = await outbox.next(platform)
      for (const { id, chat, part } of found.ready) seen.set(id, { platform: chat.platform, part: part.type })
      return found
    },
    async sending(id, how) {
      const isWanted = await outbox.sending(id, how)
      const what = seen.get(id)
      if (!what || !isWanted) return isWanted
      const work = observer?.begin({ kind: 'delivery', ...what })
      underWay.set(id, { platform: what.platform, startedAt: performance.now(), work })
      return true
    },
    async sent(id, messageId) {
      await outbox.sent(id, messageId)
      end(id, 'sent')
    },
    async later(id, how) {
      await outbox.later(id, how)
      end(id, 'later')
    },
    async dead(id, error) {
      await outbox.dead(id, error)
      // It begins with the code of the failure.
      end(id, 'dead', error.split(':', 1)[0])
    },
    async tidy() {
      const givenUp = await outbox.tidy()
      for (const id of seen.keys()) if (!underWay.has(id)) seen.delete(id)
      return givenUp
    },
  }
}
