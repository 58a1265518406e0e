import type { Registry } from './registry.ts'

/** What waits in the gateway. */
export interface MeasuredBacklog {
  readonly inbox: { readonly waiting: number; readonly running: number }
  readonly outbox: readonly {
    readonly platform: string
    readonly waiting: number
    readonly dead: number
    /** Ms since 1970. */
    readonly oldestAt?: number
  }[]
}

/** Tells it as it is now; `undefined` where nothing can be known. */
export function backlogMetrics({ gauge }: Registry): (backlog: MeasuredBacklog | undefined, now: number) => void {
  const inbox = gauge({ name: 'hermes_inbox_messages', help: 'Messages of people that are not dealt with.' })
  const outbox = gauge({ name: 'hermes_outbox_messages', help: 'What is to go out, and what was given up this week.' })
  const oldest = gauge({ name: 'hermes_outbox_oldest_seconds', help: 'Age of the oldest that is to go out.' })
  return (backlog, now) => {
    for (const one of [inbox, outbox, oldest]) one.clear()
    if (!backlog) return
    inbox.set(backlog.inbox.waiting, { state: 'waiting' })
    inbox.set(backlog.inbox.running, { state: 'running' })
    for (const { platform, waiting, dead, oldestAt } of backlog.outbox) {
      outbox.set(waiting, { platform, state: 'waiting' })
      outbox.set(dead, { platform, state: 'dead' })
      oldest.set(oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) / 1000, { platform })
    }
  }
}
