import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import type { SendMailOptions } from 'nodemailer'
import PostalMime from 'postal-mime'
import type { Email } from 'postal-mime'
import { within } from '../pty/within.ts'
import type { MailServer } from './server.ts'

/** A mail that a person has got. */
export interface ReceivedMail extends Email {
  readonly uid: number
  /** As it was brought. */
  readonly raw: string
  header(name: string): string | undefined
}

/** A person with a mail program: nodemailer writes, imapflow reads. */
export interface MailPerson extends AsyncDisposable {
  readonly address: string
  /** Sends, signed in; resolves to the `Message-ID`. */
  send(mail: SendMailOptions): Promise<string>
  /** Sends past the sign-in, as any server of the world may: `envelopeFrom` is who it says it is for. */
  sendFromWorld(mail: SendMailOptions, envelopeFrom: string): Promise<string>
  /** What came, oldest first. */
  readonly mails: readonly ReceivedMail[]
  /** Resolves when so many have come. */
  until(count: number, timeoutMs?: number): Promise<readonly ReceivedMail[]>
}

export async function openPerson(server: MailServer, address: string): Promise<MailPerson> {
  const { ports, password } = server
  const tls = { rejectUnauthorized: false }
  const host = '127.0.0.1'
  const auth = { user: address, pass: password }
  const reader = new ImapFlow({ host, port: ports.imaps, secure: true, tls, auth, logger: false })
  const own = createTransport({ host, port: ports.submission, requireTLS: true, tls, auth })
  const world = createTransport({ host, port: ports.mx, ignoreTLS: true })
  const mails: ReceivedMail[] = []
  const watchers = new Set<() => void>()
  let looking = Promise.resolve()

  async function look(): Promise<void> {
    const next = (mails.at(-1)?.uid ?? 0) + 1
    for (const { uid, source } of await reader.fetchAll(`${next}:*`, { source: true }, { uid: true })) {
      if (uid >= next && source) mails.push(await received(uid, source))
    }
    for (const check of watchers) check()
    // It is not waited for: it lasts until the next look.
    void reader.idle()
  }
  reader.on('exists', () => {
    looking = looking.then(look)
  })
  reader.on('error', () => {})
  await reader.connect()
  await reader.mailboxOpen('INBOX')
  looking = look()
  await looking
  const mailOf = (mail: SendMailOptions): SendMailOptions => ({ from: address, ...mail })
  return {
    address,
    send: async (mail) => (await own.sendMail(mailOf(mail))).messageId,
    sendFromWorld: async (mail, envelopeFrom) => {
      const to = mail.to ?? ''
      const envelope = { from: envelopeFrom, to: Array.isArray(to) ? to : [to] }
      return (await world.sendMail({ ...mailOf(mail), envelope })).messageId
    },
    mails,
    async until(count, timeoutMs = 30_000) {
      const watch = (seen: () => void) => {
        const check = () => void (mails.length >= count && seen())
        watchers.add(check)
        check()
        return () => watchers.delete(check)
      }
      await within(watch, timeoutMs, () => `${mails.length} of ${count} mails came to ${address}`)
      return mails
    },
    async [Symbol.asyncDispose]() {
      await looking
      reader.close()
      own.close()
      world.close()
    },
  }
}

async function received(uid: number, source: Buffer): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(source)
  return {
    ...mail,
    uid,
    raw: source.toString('latin1'),
    header: (name) => mail.headers.find(({ key }) => key === name.toLowerCase())?.value,
  }
}
