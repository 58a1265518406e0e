import type { ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { Connection, SendingConnection, SendingHost, SendOptions } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { claimAccount } from '../token-lock.ts'
import { normalAddress } from './address.ts'
import { composeMail } from './compose.ts'
import { createLoopGuard } from './loop-guard.ts'
import { openMailRecords } from './mail-records.ts'
import type { MailRecords } from './mail-records.ts'
import { openMailbox } from './mailbox.ts'
import { ownMessageId } from './message-id.ts'
import { placeCursor, readMailbox } from './read-mailbox.ts'
import type { EmailSettings } from './settings.ts'
import { checkSmtp, sendMail } from './smtp.ts'

/** Servers count mails by the hour and day; a person needs no more at once. */
const rates = { perSecond: 5, perChatSecond: 1 }

/** Longest that reading may take to end, ms. */
const settleMs = 5_000

/** Opens the mailbox, signs in for sending, and begins to read. Throws `PlatformError`. */
export async function connectEmail(settings: EmailSettings, host: FaceHost, signal: AbortSignal): Promise<Connection> {
  const { address } = settings
  await using opening = new AsyncDisposableStack()
  const name = accountOf(settings)
  opening.defer(await claimAccount('email-address', name, host.environment))
  if (!settings.certificates.areChecked) host.log.warn({}, 'certificates of the mail servers are not checked')
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const records = await openMailRecords(host.home, name)
  const mailbox = opening.use(await openMailbox(settings, both))
  await checkSmtp(settings, both)
  await placeCursor(mailbox, records, host.clock.now())
  const closed = Promise.withResolvers<unknown>()
  const guard = createLoopGuard(() => host.clock.now())
  const reading = readMailbox({ settings, host, mailbox, records, guard }, both).catch(closed.resolve)
  opening.defer(async () => {
    ending.abort(new DOMException('The connection ends.', 'AbortError'))
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, settleMs).unref())])
  })
  const held = opening.move()
  return {
    account: address,
    rates,
    closed: closed.promise,
    async send(to, part, options, cutting) {
      try {
        return await send({ to, part, options, settings, records }, cutting)
      } catch (error) {
        // What cannot be answered is not read either: it waits in the mailbox until the server is back.
        if (error instanceof PlatformError && error.code === 'unreachable') closed.resolve(error)
        throw error
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** Signs in only to send. Throws `PlatformError`. */
export async function connectEmailToSend(
  settings: EmailSettings,
  { home, environment }: SendingHost,
): Promise<SendingConnection> {
  await using opening = new AsyncDisposableStack()
  const name = accountOf(settings)
  opening.defer(await claimAccount('email-address', name, environment, 'send'))
  const records = await openMailRecords(home, name)
  const held = opening.move()
  return {
    rates,
    send: (to, part, options, signal) => send({ to, part, options, settings, records }, signal),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** A mailbox by its name on this machine. */
function accountOf({ address, imap, folder }: EmailSettings): string {
  return `${address}@${imap.host}/${folder}`
}

interface Sending {
  readonly to: ChatRef
  readonly part: OutboundPart
  readonly options: SendOptions
  readonly settings: EmailSettings
  readonly records: MailRecords
}

async function send({ to, part, options, settings, records }: Sending, signal: AbortSignal): Promise<SentRef> {
  const recipient = normalAddress(to.chatId)
  if (recipient === undefined) throw new PlatformError('refused', `${to.chatId} is no address.`)
  const messageId = ownMessageId(options.key, settings.address)
  // There is nothing that a person could be shown.
  if (part.type === 'text' && part.text.trim() === '') return { chat: to, messageId: '' }
  const thread = records.thread(recipient, options.replyTo)
  const message = await composeMail({ to: recipient, part, messageId, thread, inReplyTo: options.replyTo }, settings)
  await sendMail(settings, { to: recipient, message }, signal)
  return { chat: to, messageId }
}
