import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { OutboundPart } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import { toHtml } from './html.ts'
import type { MailThread } from './mail-records.ts'
import type { EmailSettings } from './settings.ts'
import { answerSubject } from './subject.ts'

/** Largest file that is sent, bytes: most servers take mails of 25 MB, and a file grows by a third in one. */
const maxFileBytes = 18 * 1024 * 1024

/** Subject of a mail that answers none. */
const ownSubject = 'Hermes Agent'

export interface MailToWrite {
  readonly to: string
  readonly part: OutboundPart
  readonly messageId: string
  /** The mail that it answers. */
  readonly thread: MailThread | undefined
  /** Its id, where nothing else is known of it. */
  readonly inReplyTo: string | undefined
}

/** A mail as it goes over the wire. Throws `PlatformError` for a file that is missing or too large. */
export async function composeMail(
  { to, part, messageId, thread, inReplyTo }: MailToWrite,
  { address, name }: Pick<EmailSettings, 'address' | 'name'>,
): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const answered = isRealId(thread?.messageId) ? thread?.messageId : isRealId(inReplyTo) ? inReplyTo : undefined
  const references = [...(thread?.references ?? []), ...(answered === undefined ? [] : [answered])]
  const mail = new MailComposer({
    from: { name, address },
    to: { name: '', address: to },
    subject: thread ? answerSubject(thread.subject) : ownSubject,
    messageId,
    ...(answered !== undefined && { inReplyTo: answered }),
    ...(references.length > 0 && { references }),
    // Programs do not answer it (RFC 3834); Exchange wants its own words.
    headers: {
      'Auto-Submitted': inReplyTo === undefined ? 'auto-generated' : 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
    },
    disableUrlAccess: true,
    disableFileAccess: true,
    ...(await bodyOf(part)),
  })
  return new Promise((resolve, reject) => {
    mail
      .compile()
      .build((error, message) => (error || !message ? reject(error ?? new Error('no mail')) : resolve(message)))
  })
}

async function bodyOf(part: OutboundPart) {
  if (part.type === 'text') return { text: part.text, ...htmlOf(await toHtml(part.text)) }
  const size = await stat(part.path).then(
    (found) => found.size,
    () => undefined,
  )
  if (size === undefined) throw new PlatformError('refused', `There is no file ${part.path} to send.`)
  if (size > maxFileBytes) {
    throw new PlatformError(
      'too-long',
      `The file is larger than the ${maxFileBytes / 1024 / 1024} MB that go into a mail.`,
    )
  }
  const filename = basename(part.path)
  const caption = part.caption ?? ''
  const file = { filename, content: await readFile(part.path) }
  if (part.kind !== 'image') return { text: caption || filename, attachments: [file] }
  const cid = 'image@hermes'
  const html = `${(await toHtml(caption)) ?? ''}<p><img src="cid:${cid}" alt="" style="max-width:100%"></p>`
  return { text: caption || filename, html, attachments: [{ ...file, cid }] }
}

function htmlOf(html: string | undefined): { readonly html?: string } {
  return html === undefined ? {} : { html }
}

/** Mails without an id are known by their place in the mailbox, which means nothing to others. */
function isRealId(messageId: string | undefined): boolean {
  return messageId !== undefined && /^<[^\s<>]+>$/.test(messageId) && !messageId.endsWith('@mailbox.invalid>')
}
