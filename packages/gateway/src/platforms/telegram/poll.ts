import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Update } from 'grammy/types'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { TelegramClient } from './client.ts'
import type { TelegramTiming } from './settings.ts'
import { updateKinds } from './take-update.ts'

/** Polls in a row that may fail before the connection counts as lost. */
const maxFailures = 3
const maxConflicts = 3

/** Waits between polls while updates are not stored yet, ms. */
const firstBusyMs = 50
const maxBusyMs = 400

/** Longest wait before an update that could not be stored is taken again, ms. */
const maxRetakeMs = 15_000

/** After an idle week the service numbers updates anew, ms. */
const renumberedMs = 6 * 24 * 3600 * 1000

export interface PollOptions {
  readonly client: TelegramClient
  readonly timing: TelegramTiming
  readonly log: Logger
  /** Resolves when the update is in durable storage; rejects where it is not. */
  take(update: Update): Promise<void>
}

/**
 * Asks for updates until `signal` aborts or the connection is lost; resolves to why. An offset tells Telegram to forget
 * what comes before it, so it passes an update only when that is stored: while some are not, it is asked from there again.
 */
export async function pollUpdates(options: PollOptions, signal: AbortSignal): Promise<unknown> {
  const { client, timing, log } = options
  const taking = createTaking(options)
  let failures = 0
  let conflicts = 0
  let lastNews = performance.now()
  let busyMs = firstBusyMs
  for (;;) {
    try {
      const offset = taking.offset(performance.now() - lastNews > renumberedMs)
      const seconds = taking.isBusy ? 0 : timing.pollSeconds
      const ask = { timeout: seconds, allowed_updates: updateKinds, ...(offset !== undefined && { offset }) }
      const limit = { signal, timeoutMs: (seconds + 15) * 1000 }
      const updates = await client.call('getUpdates', ask, limit)
      failures = 0
      conflicts = 0
      if (taking.add(updates)) {
        lastNews = performance.now()
        busyMs = firstBusyMs
      }
      if (!taking.isBusy) continue
      await Promise.race([taking.change(), wait(busyMs, undefined, { signal, ref: false })])
      busyMs = Math.min(maxBusyMs, busyMs * 2)
    } catch (error) {
      if (signal.aborted) return signal.reason
      const { code, retryAfterMs } =
        error instanceof PlatformError ? error : { code: undefined, retryAfterMs: undefined }
      if (code === 'conflict') {
        if (++conflicts >= maxConflicts) return error
        log.warn({ error: String(error) }, 'another process polls')
        await wait(timing.conflictMs, undefined, { signal }).catch(() => undefined)
        continue
      }
      if (code === 'unauthorised' || code === undefined || ++failures >= maxFailures) return error
      log.warn({ error: String(error) }, 'updates cannot be fetched')
      const pause = retryAfterMs ?? timing.retryMs * 2 ** (failures - 1)
      await wait(pause, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** What is said in a chat, as far as the order of chats needs it. */
const inChat = z.looseObject({ chat: z.looseObject({ id: z.number() }) })

/** An update that could not be stored. */
interface Failure {
  readonly tries: number
  /** When it may be taken again, monotonic ms. */
  readonly notBefore: number
}

/** Which updates are stored, and from where on to ask. */
function createTaking({ take, log, timing }: Pick<PollOptions, 'take' | 'log' | 'timing'>) {
  const states = new Map<number, 'taking' | 'stored' | Failure>()
  let next: number | undefined
  let changed = Promise.withResolvers<void>()

  const begin = (update: Update, tries: number) => {
    const { update_id: id } = update
    states.set(id, 'taking')
    take(update).then(
      () => {
        states.set(id, 'stored')
        changed.resolve()
        changed = Promise.withResolvers()
      },
      (error: unknown) => {
        log.error({ error: String(error) }, 'a message could not be stored; it will be fetched again')
        // A store that fails is not asked at once: a full disk is not emptied by that.
        const pauseMs = Math.min(maxRetakeMs, timing.retryMs * 2 ** tries)
        states.set(id, { tries: tries + 1, notBefore: performance.now() + pauseMs })
      },
    )
  }
  return {
    get isBusy() {
      return states.size > 0
    },
    /** The first one that is not stored. */
    offset(isRenumbered: boolean): number | undefined {
      for (const id of [...states.keys()].sort((a, b) => a - b)) {
        if (states.get(id) !== 'stored') return (next = id)
        states.delete(id)
        next = id + 1
      }
      if (isRenumbered) next = undefined
      return next
    },
    /** Begins with those that are not known yet, oldest first. False where there is none. */
    add(updates: readonly Update[]): boolean {
      let isNew = false
      /** What comes later in these chats waits, so that the order stays. */
      const held = new Set<number>()
      for (const update of updates.toSorted((a, b) => a.update_id - b.update_id)) {
        const state = states.get(update.update_id)
        if (state === 'taking' || state === 'stored') continue
        const chatId = inChat.safeParse(update.message ?? update.callback_query?.message).data?.chat.id
        if (chatId !== undefined && held.has(chatId)) continue
        if (state && performance.now() < state.notBefore) {
          if (chatId !== undefined) held.add(chatId)
          continue
        }
        isNew ||= state === undefined
        begin(update, state?.tries ?? 0)
      }
      return isNew
    },
    change: () => changed.promise,
  }
}
