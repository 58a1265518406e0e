import { setTimeout as wait } from 'node:timers/promises'
import { PlatformError } from '../platform-error.ts'
import type { MailRecords } from './mail-records.ts'
import type { Mailbox, MailHead } from './mailbox.ts'
import { takeMail } from './take-mail.ts'
import type { TakeOptions } from './take-mail.ts'

/** Longest wait before a mail is tried again, ms. */
const maxRetryMs = 60_000

const dayMs = 24 * 3_600_000

/**
 * Takes what comes until the connection is lost or `signal` aborts; then rejects. The place in the mailbox moves, on
 * disk, only past mails that the gateway has stored or that are none of its business.
 */
export async function readMailbox(options: TakeOptions, signal: AbortSignal): Promise<never> {
  const { mailbox } = options
  for (;;) {
    await catchUp(options, signal)
    await mailbox.news()
    signal.throwIfAborted()
  }
}

/** Where reading begins: at the first start with what comes from then on. `now`: ms since 1970. */
export async function placeCursor(mailbox: Mailbox, records: MailRecords, now: number): Promise<void> {
  const { cursor } = records
  const { uidValidity, uidNext } = mailbox
  if (!cursor) {
    await records.move({ uidValidity, lastUid: uidNext - 1, lastCameAt: now })
  } else if (cursor.uidValidity !== uidValidity || cursor.lastUid >= uidNext) {
    // The numbers mean other mails now: what came since the newest that was read is looked at again, and known by its id.
    const notBefore = cursor.lastCameAt
    const first = await mailbox.firstSince(notBefore - dayMs)
    await records.move({ ...cursor, uidValidity, lastUid: first - 1, notBefore })
  }
}

async function catchUp(options: TakeOptions, signal: AbortSignal): Promise<void> {
  const { mailbox, records } = options
  const { cursor } = records
  if (!cursor) return
  for (const uid of await mailbox.newer(cursor.lastUid + 1)) await takeInTurn(uid, options, signal)
}

async function takeInTurn(uid: number, options: TakeOptions, signal: AbortSignal): Promise<void> {
  const { mailbox, records, host } = options
  const head = await mailbox.head(uid)
  const isTaken = head !== undefined && (await takeUntilStored(uid, head, options, signal))
  const { cursor } = records
  if (!cursor) return
  await records.move({ ...cursor, lastUid: uid, lastCameAt: Math.max(cursor.lastCameAt, head?.cameAt ?? 0) })
  if (!isTaken) return
  await mailbox.markSeen(uid).catch((error: unknown) => {
    signal.throwIfAborted()
    host.log.warn({ uid, error: String(error) }, 'a mail could not be marked as read')
  })
}

async function takeUntilStored(
  uid: number,
  head: MailHead,
  options: TakeOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { mailbox, host, settings } = options
  for (let waitMs = settings.timing.retryMs; ; waitMs = Math.min(maxRetryMs, waitMs * 2)) {
    try {
      return await takeMail(uid, head, options)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof PlatformError) throw error
      host.log.error({ uid, error: String(error) }, 'a mail could not be stored; it is tried again')
      await Promise.race([wait(waitMs, undefined, { signal, ref: false }), mailbox.lost])
    }
  }
}
