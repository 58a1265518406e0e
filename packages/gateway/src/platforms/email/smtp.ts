import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { domainOf } from './address.ts'
import { smtpError } from './errors.ts'
import type { EmailSettings } from './settings.ts'
import { tlsOptions } from './tls.ts'

/** Longest that a mail may take to go out, ms. */
const sendMs = 300_000

/** Signs in and out again, so that wrong settings are told at once. Throws `PlatformError`. */
export async function checkSmtp(settings: EmailSettings, signal: AbortSignal): Promise<void> {
  await connected(settings, signal, async () => {})
}

/** Sends a mail over a connection of its own. Throws `PlatformError`. */
export async function sendMail(
  settings: EmailSettings,
  mail: { readonly to: string; readonly message: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const { message, to } = mail
  await connected(settings, signal, async (connection, begun) => {
    const envelope = { from: settings.address, to: [to], size: message.length }
    await new Promise<void>((resolve, reject) => {
      // It is read when the server has agreed to take it, and at its end the server has all of it.
      const body = Readable.from([message], { objectMode: false })
      body.once('end', () => begun.hasAll())
      connection.send(envelope, body, (error) => (error ? reject(error) : resolve()))
    })
  })
}

async function connected(
  settings: EmailSettings,
  signal: AbortSignal,
  work: (connection: SMTPConnection, begun: { hasAll(): void }) => Promise<void>,
): Promise<void> {
  const { smtp, username, password, address, timing } = settings
  const [{ default: Connection }, tls] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    tlsOptions(settings),
  ])
  signal.throwIfAborted()
  const connection = new Connection({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === 'tls',
    requireTLS: smtp.security === 'starttls',
    ignoreTLS: smtp.security === 'none',
    name: domainOf(address),
    tls,
    connectionTimeout: timing.callMs,
    greetingTimeout: timing.callMs,
    dnsTimeout: timing.callMs,
    socketTimeout: timing.callMs * 2,
  })
  let hasAll = false
  const limit = AbortSignal.any([signal, AbortSignal.timeout(sendMs)])
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const cut = () => {
    connection.close()
    failed.reject(limit.reason)
  }
  connection.on('error', failed.reject)
  connection.once('end', () => failed.reject(new Error('the connection was closed')))
  limit.addEventListener('abort', cut, { once: true })
  try {
    const run = async () => {
      await settled((done) => connection.connect(done))
      await settled((done) => connection.login({ user: username, pass: password }, done))
      await work(connection, { hasAll: () => (hasAll = true) })
    }
    await Promise.race([run(), failed.promise])
    connection.quit()
  } catch (error) {
    connection.close()
    throw smtpError(error, smtp.host, hasAll)
  } finally {
    limit.removeEventListener('abort', cut)
  }
}

function settled(run: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())))
}
