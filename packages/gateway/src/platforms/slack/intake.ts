import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import { createBoundedMap } from './bounded-map.ts'
import type { PendingEvents } from './pending.ts'
import type { SlackTiming } from './settings.ts'
import type { Envelope } from './socket.ts'

/** Events that are worked on at once; more are not acknowledged, and come again. */
const maxBusy = 500

/** Events that are known to be dealt with. */
const maxDone = 5_000

/** Tries to hand over an event that is acknowledged already; the next ones are made after the next start. */
const maxTries = 4

/** One event on its way to the gateway. */
export interface IntakeWork {
  /** The same for the same event, however often it comes. */
  readonly key: string
  /** Who wrote where: what comes from there is handed over in its order. */
  readonly lane: string
  /** Fetches what belongs to it. Rejects where it should be tried again. */
  readonly prepare: () => Promise<() => Promise<void>>
}

/**
 * Deals with each event once, in order, and within the time that the service waits: what takes longer (files, slow answers)
 * is noted on disk, so that it can be acknowledged.
 */
export interface Intake {
  /** Resolves when the event may be acknowledged; rejects where it must come again. */
  add(work: IntakeWork, envelope: Envelope): Promise<void>
  /** Gives up what is under way; what was acknowledged is on disk. */
  close(): Promise<void>
}

export interface IntakeOptions {
  readonly pending: PendingEvents
  readonly timing: Pick<SlackTiming, 'ackMs' | 'retryMs'>
  readonly log: Logger
}

export function createIntake({ pending, timing, log }: IntakeOptions, signal: AbortSignal): Intake {
  const busy = new Map<string, Promise<void>>()
  const lanes = new Map<string, Promise<unknown>>()
  const done = createBoundedMap<true>(maxDone)
  const running = new Set<Promise<unknown>>()

  /** Prepared side by side, handed over one after the other. */
  function handOver({ lane, prepare }: IntakeWork): Promise<void> {
    const before = lanes.get(lane) ?? Promise.resolve()
    const ready = prepare()
    const handing = before.then(async () => {
      const store = await ready
      signal.throwIfAborted()
      await store()
    })
    const settled = handing
      .catch(() => undefined)
      .finally(() => {
        if (lanes.get(lane) === settled) lanes.delete(lane)
      })
    ready.catch(() => undefined)
    lanes.set(lane, settled)
    return handing
  }

  async function deal(work: IntakeWork, envelope: Envelope): Promise<void> {
    const handing = handOver(work)
    const isDone = await Promise.race([handing.then(() => true), wait(timing.ackMs, false, { ref: false })])
    if (!isDone) {
      await pending.keep(work.key, envelope)
      const finishing = finish(work, handing)
      running.add(finishing)
      void finishing.finally(() => running.delete(finishing))
      return
    }
    done.set(work.key, true)
    // An earlier process may have kept it.
    await pending.drop(work.key)
  }

  /** Nobody waits any more: it is tried until it works, or stays on disk. */
  async function finish(work: IntakeWork, first: Promise<void>): Promise<void> {
    let handing = first
    for (let tries = 1; ; tries++) {
      try {
        await handing
        done.set(work.key, true)
        return await pending.drop(work.key)
      } catch (error) {
        if (signal.aborted) return
        log.error({ error: String(error) }, 'an event of Slack is not handed over yet')
        if (tries >= maxTries) return
        await wait(timing.retryMs * tries, undefined, { signal }).catch(() => undefined)
        if (signal.aborted) return
        handing = handOver(work)
      }
    }
  }

  return {
    add(work, envelope) {
      const present = busy.get(work.key)
      if (present) return present
      if (done.has(work.key)) return Promise.resolve()
      if (busy.size + running.size >= maxBusy) return Promise.reject(new Error('too many events at once'))
      const dealing = deal(work, envelope).finally(() => busy.delete(work.key))
      busy.set(work.key, dealing)
      return dealing
    },
    async close() {
      await Promise.allSettled([...busy.values(), ...running])
    },
  }
}
