import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { KeptAttachments } from './attachments.ts'
import type { MailSender } from './from.ts'
import type { ParsedMail } from './parsed-mail.ts'
import { splitReply } from './reply-text.ts'
import { isAnswer, isForward } from './subject.ts'

export interface MailFacts {
  readonly mail: ParsedMail
  readonly sender: MailSender
  readonly files: KeptAttachments
  /** Our address. */
  readonly account: string
  /** Names the mail where it has no id of its own. */
  readonly fallbackId: string
  /** When it came, ms since 1970. */
  readonly cameAt: number
  /** Only its beginning was read. */
  readonly isCut: boolean
  /** Whether an id is one of a mail of ours. */
  readonly isOurs: (messageId: string) => boolean
}

/** A mail as the gateway takes it. */
export function toInbound(facts: MailFacts): InboundMessage {
  const { mail, sender, files, account, fallbackId, cameAt } = facts
  return {
    eventId: mail.messageId ?? fallbackId,
    messageId: mail.messageId ?? fallbackId,
    source: {
      platform: 'email',
      account,
      chatId: sender.address,
      chatType: 'dm',
      chatName: sender.name || sender.address,
      userId: sender.address,
      userName: sender.name || sender.address,
    },
    text: textOf(facts),
    attachments: files.attachments,
    sentAt: cameAt,
  }
}

function textOf({ mail, files, isCut, isOurs }: MailFacts): string {
  const { said, quoted } = splitReply(mail.text, isForward(mail.subject))
  const subject = mail.subject.replaceAll(/\s+/g, ' ').trim().slice(0, 500).toWellFormed()
  const command = commandOf(said) ?? (said === '' ? commandOf(subject) : undefined)
  if (command !== undefined) return command
  const notes = [...files.notes, ...(isCut ? ['[The mail is too large: only its beginning was read.]'] : [])]
  const isFresh = subject !== '' && !isAnswer(subject)
  // What it answers is known, unless others had said it.
  const isKnown = quoted === '' || mail.references.some(isOurs)
  const body = said === '' && files.attachments.length === 0 && isKnown ? '(empty email)' : said
  return [
    ...(isFresh ? [`[Subject: ${subject}]`] : []),
    body,
    ...(isKnown ? [] : [`[The mail answers this:]\n${quoted}`]),
    ...notes,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** A command of a few words alone on its line is all that is meant: a greeting may follow. */
function commandOf(text: string): string | undefined {
  if (!text.startsWith('/')) return undefined
  const [line = '', next = ''] = text.split('\n', 2)
  return next.trim() === '' && line.trim().split(/\s+/).length <= 3 ? line.trim() : text
}
