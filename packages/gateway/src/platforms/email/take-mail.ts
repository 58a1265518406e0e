import type { EmailSettings } from './settings.ts'
import type { FaceHost } from '../turn-face.ts'
import { keepAttachments } from './attachments.ts'
import { ofTrusted, senderVerdict } from './authentication-results.ts'
import { whyAutomated } from './automated.ts'
import type { MailHeaders } from './automated.ts'
import { readFrom } from './from.ts'
import type { MailSender } from './from.ts'
import { toInbound } from './inbound.ts'
import type { LoopGuard } from './loop-guard.ts'
import type { MailRecords } from './mail-records.ts'
import type { Mailbox, MailHead } from './mailbox.ts'
import { isOwnId } from './message-id.ts'
import { MailFormatError, messageIds, parseHeaders, parseMail } from './parsed-mail.ts'
import type { ParsedMail } from './parsed-mail.ts'

/** Clocks of servers differ; what a mail says of its own time is less sure, ms. */
const [clockMs, writtenMs] = [120_000, 24 * 3_600_000]

/** What a mail needs to be taken. */
export type MailHost = Pick<FaceHost, 'home' | 'log' | 'receive' | 'access'>

export interface TakeOptions {
  readonly settings: EmailSettings
  readonly host: MailHost
  readonly mailbox: Mailbox
  readonly records: MailRecords
  readonly guard: LoopGuard
}

/** Hands a mail to the gateway, or leaves it: resolves to whether it was taken. Rejects where it must be tried again. */
export async function takeMail(uid: number, head: MailHead, options: TakeOptions): Promise<boolean> {
  try {
    return await take(uid, head, options)
  } catch (error) {
    // It will never be readable, and must not keep up those behind it.
    if (!(error instanceof MailFormatError)) throw error
    options.host.log.warn({ uid, why: error.message }, 'a mail is not taken')
    return false
  }
}

async function take(uid: number, head: MailHead, options: TakeOptions): Promise<boolean> {
  const { host, records } = options
  const headers = await parseHeaders(head.raw)
  const messageId = messageIds(headers('message-id')[0])[0]
  if (messageId !== undefined && records.isKnown(messageId)) return false
  if (isOld(head, headers, records.cursor?.notBefore)) return false
  const judged = judge(headers, options)
  if (judged.type === 'leave') {
    host.log[judged.isForged ? 'warn' : 'info']({ uid, why: judged.why }, 'a mail is not taken')
    return false
  }
  await hand(uid, head, judged.sender, options)
  return true
}

type Judgement =
  | { readonly type: 'take'; readonly sender: MailSender }
  | { readonly type: 'leave'; readonly why: string; readonly isForged?: boolean }

function judge(headers: MailHeaders, { settings, guard }: TakeOptions): Judgement {
  const { senders, address } = settings
  const sender = readFrom(headers('from'))
  if (!sender) return { type: 'leave', why: 'it does not name one sender' }
  if (sender.address === address) return { type: 'leave', why: 'it is from this account' }
  const automated = whyAutomated(sender.address, headers)
  if (automated !== undefined) return { type: 'leave', why: automated }
  const verdict = senderVerdict(sender.address, headers('authentication-results'), senders.trusted)
  if (senders.areChecked && verdict === 'denied') {
    return { type: 'leave', why: denied(headers, senders.trusted), isForged: true }
  }
  if (senders.areChecked && verdict === 'unknown') return { type: 'leave', why: unconfirmed(headers), isForged: true }
  if (!guard.allows(sender.address))
    return { type: 'leave', why: 'too many mails came from its sender', isForged: true }
  return { type: 'take', sender }
}

/** Tells what was said of it, so that the owner of the sender's domain can see what is missing there. */
function denied(headers: MailHeaders, trusted: readonly string[]): string {
  const said = ofTrusted(headers('authentication-results'), trusted)?.said ?? ''
  return `the mail server does not confirm its sender: it may be forged. It says: ${said.slice(0, 500).replaceAll(/\s+/g, ' ')}`
}

/** Tells how to name the server; what is in a mail is no proof that it is the own one. */
function unconfirmed(headers: MailHeaders): string {
  const [first] = headers('authentication-results')
  const said = first === undefined ? undefined : /^[\w.-]{1,100}/.exec(first.trim())?.[0]
  return said === undefined
    ? 'nobody confirms its sender. Where the mail server writes no Authentication-Results, see EMAIL_SENDER_CHECK'
    : `no trusted server confirms its sender. If ${said} is your mail server, set EMAIL_AUTHSERV_ID=${said}`
}

async function hand(uid: number, head: MailHead, sender: MailSender, options: TakeOptions): Promise<void> {
  const { settings, host, mailbox, records } = options
  const { address } = settings
  const source = { platform: 'email', account: address, chatId: sender.address, chatType: 'dm' } as const
  // Of strangers nothing is read or kept.
  const isKnown = await host.access.isAuthorised({ ...source, userId: sender.address })
  const isCut = head.bytes > settings.maxMailBytes
  const bytes = isKnown ? await mailbox.source(uid, settings.maxMailBytes) : head.raw
  const mail = await readable(bytes ?? head.raw)
  // The last file of a mail that is cut is broken.
  const whole = isCut ? { ...mail, attachments: [] } : mail
  const files = await keepAttachments(whole, { host, areSkipped: settings.skipAttachments })
  const fallbackId = `<uid-${mailbox.uidValidity}-${uid}@mailbox.invalid>`
  const message = toInbound({
    mail: whole,
    sender,
    files,
    account: address,
    fallbackId,
    cameAt: head.cameAt,
    isCut,
    isOurs: (id) => isOwnId(id, address),
  })
  const { subject, references } = mail
  const messageId = mail.messageId ?? fallbackId
  records.note({ messageId, chatId: sender.address, subject: subject.slice(0, 500), references: [...references] })
  await host.receive(message)
  records.taken(messageId)
}

/** A mail that cannot be read is told of, since its sender waits for an answer. */
async function readable(source: Uint8Array): Promise<ParsedMail> {
  try {
    return await parseMail(source)
  } catch (error) {
    if (!(error instanceof MailFormatError)) throw error
    const headers = await parseHeaders(source)
    return {
      text: `[The mail cannot be read: ${error.message}]`,
      subject: headers('subject')[0] ?? '',
      messageId: messageIds(headers('message-id')[0])[0],
      references: [],
      attachments: [],
      hasMore: false,
    }
  }
}

function isOld({ cameAt }: MailHead, headers: MailHeaders, notBefore: number | undefined): boolean {
  if (notBefore === undefined) return false
  const written = Date.parse(headers('date')[0] ?? '')
  return cameAt < notBefore - clockMs || written < notBefore - writtenMs
}
