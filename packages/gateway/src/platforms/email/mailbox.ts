import { setTimeout as wait } from 'node:timers/promises'
import type { FetchQueryObject, ImapFlow } from 'imapflow'
import { PlatformError } from '../platform-error.ts'
import { imapError } from './errors.ts'
import { limited } from './limited.ts'
import type { EmailSettings } from './settings.ts'
import { tlsOptions } from './tls.ts'

/** Headers that are looked at before a mail is fetched. */
const headers = (
  'from subject date message-id content-type return-path authentication-results auto-submitted precedence ' +
  'x-auto-response-suppress x-autoreply x-autorespond list-id list-unsubscribe'
).split(' ')

/** The folder that mail comes to, open. Numbers of mails are UIDs. */
export interface Mailbox extends AsyncDisposable {
  readonly uidValidity: string
  /** The number that the next mail gets. */
  readonly uidNext: number
  /** Numbers from `first` on, in order. */
  newer(first: number): Promise<readonly number[]>
  /** The first number of those that came since a day, ms since 1970; `uidNext` where there is none. */
  firstSince(at: number): Promise<number>
  /** What is known of a mail without reading it; undefined where it is gone. */
  head(uid: number): Promise<MailHead | undefined>
  /** Its first bytes, at most so many. */
  source(uid: number, maxBytes: number): Promise<Uint8Array | undefined>
  markSeen(uid: number): Promise<void>
  /** Resolves when there may be something new; rejects when the connection is lost. */
  news(): Promise<void>
  /** Rejects when the connection is lost; never resolves. */
  readonly lost: Promise<never>
}

export interface MailHead {
  /** The headers as they stand in the mail. */
  readonly raw: Uint8Array
  /** When it came, ms since 1970. */
  readonly cameAt: number
  readonly bytes: number
}

/** Connects and opens the folder. Throws `PlatformError`. */
export async function openMailbox(settings: EmailSettings, signal: AbortSignal): Promise<Mailbox> {
  const { imap, timing, folder } = settings
  const client = await createClient(settings)
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  const lose = (error?: unknown) => lost.reject(imapError(error ?? new Error('the connection was closed'), imap.host))
  client.on('error', lose)
  client.on('close', lose)
  let hasNews = false
  let told = Promise.withResolvers<void>()
  client.on('exists', () => {
    hasNews = true
    told.resolve()
  })
  const giveUp = () => {
    lose(new Error('it does not answer'))
    client.close()
  }
  async function call<T>(run: () => Promise<T>, ms = timing.callMs): Promise<T> {
    try {
      return await Promise.race([limited(run(), { ms, signal, giveUp }), lost.promise])
    } catch (error) {
      signal.throwIfAborted()
      throw imapError(error, imap.host)
    }
  }
  try {
    await call(() => client.connect())
    const box = await call(() => client.mailboxOpen(folder))
    return {
      uidValidity: String(box.uidValidity),
      uidNext: box.uidNext,
      async newer(first) {
        hasNews = false
        told = Promise.withResolvers()
        // Some servers look for new mail only then.
        await call(() => client.noop())
        const found = await call(() => client.search({ uid: `${first}:*` }, { uid: true }))
        if (!found) throw new PlatformError('unreachable', `${imap.host} does not search the folder.`)
        // `*` is the last one, also where it is older than `first`.
        return found.filter((uid) => uid >= first).toSorted((a, b) => a - b)
      },
      async firstSince(at) {
        const found = await call(() => client.search({ since: new Date(at) }, { uid: true }))
        return Math.min(box.uidNext, ...(found || []))
      },
      async head(uid) {
        const query: FetchQueryObject = { headers, internalDate: true, size: true }
        const found = await call(() => client.fetchOne(String(uid), query, { uid: true }))
        if (!found) return undefined
        const { headers: raw = Buffer.alloc(0), internalDate, size = 0 } = found
        return { raw, cameAt: new Date(internalDate ?? Date.now()).getTime(), bytes: size }
      },
      async source(uid, maxBytes) {
        const query: FetchQueryObject = { source: { start: 0, maxLength: maxBytes } }
        const found = await call(() => client.fetchOne(String(uid), query, { uid: true }), timing.callMs * 10)
        return found ? found.source : undefined
      },
      markSeen: async (uid) => {
        await call(() => client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true }))
      },
      async news() {
        if (hasNews) return
        const over = new AbortController()
        const ends = AbortSignal.any([signal, over.signal])
        const pause = (ms: number) => wait(ms, undefined, { signal: ends, ref: false })
        const tells = client.capabilities.has('IDLE')
        // A server that ends it, or never began, is asked in the rhythm of those that do not tell.
        const asked = (tells ? client.idle() : Promise.resolve(false)).then(() => pause(timing.pollMs))
        const longest = pause(tells ? timing.idleMs : timing.pollMs)
        for (const one of [asked, longest]) one.catch(() => undefined)
        try {
          await Promise.race([told.promise, asked, longest, lost.promise])
        } finally {
          over.abort()
        }
      },
      lost: lost.promise,
      async [Symbol.asyncDispose]() {
        await limited(client.logout(), { ms: 2_000, signal: AbortSignal.timeout(2_000), giveUp }).catch(() => undefined)
        client.close()
      },
    }
  } catch (error) {
    client.close()
    throw error
  }
}

async function createClient(settings: EmailSettings): Promise<ImapFlow> {
  const { imap, username, password, timing } = settings
  const [{ ImapFlow: Client }, tls] = await Promise.all([import('imapflow'), tlsOptions(settings)])
  return new Client({
    host: imap.host,
    port: imap.port,
    secure: imap.security === 'tls',
    doSTARTTLS: imap.security === 'starttls',
    tls,
    auth: { user: username, pass: password },
    clientInfo: { name: 'Hermes' },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: timing.callMs,
    greetingTimeout: timing.callMs,
    // It is asked more often than that.
    socketTimeout: timing.idleMs + 2 * timing.callMs,
    maxLiteralSize: 64 * 1024 * 1024,
    maxResponseSize: 80 * 1024 * 1024,
    maxLineLength: 16 * 1024 * 1024,
  })
}
