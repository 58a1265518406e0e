import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import { dovecotSockets, startDovecot } from './dovecot.ts'
import { freePorts } from '../free-ports.ts'
import { startPostfix } from './postfix.ts'

/** Why there can be no mail server on this machine; undefined where there can. */
export function mailServerMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'a mail server is started as root alone'
  const programs = ['/usr/sbin/dovecot', '/usr/lib/dovecot/lmtp', '/usr/lib/postfix/sbin/master', '/usr/bin/openssl']
  const missing = programs.filter((path) => !existsSync(path))
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`
}

/** Dovecot (IMAP) and Postfix (SMTP) of this machine, with mailboxes of their own on loopback. */
export interface MailServer extends AsyncDisposable {
  /** `mx`: from the world, without signing in. The others want the password of the address. */
  readonly ports: Readonly<Record<'imap' | 'imaps' | 'mx' | 'submission' | 'submissions', number>>
  /** What it writes into `Authentication-Results`. */
  readonly name: string
  /** Its certificate, which is its own authority. */
  readonly caFile: string
  /** Of every address of `example.test` and `friend.test`; all that are named exist. */
  readonly password: string
  /** An address that nobody has yet. */
  address(name: string, domain?: 'example.test' | 'friend.test'): string
  /** Reading stops, with all connections; mail still comes, and waits. */
  stopReading(): Promise<void>
  startReading(options?: { readonly hasIdle?: boolean }): Promise<void>
  /** Its mail gets new numbers (UIDVALIDITY), as after a move to another server. Reading has stopped. */
  renumber(address: string): Promise<void>
}

/** Starts it; takes about a second. Ask `mailServerMissing` before. */
export async function startMailServer({ maxBytes = 40_000_000 } = {}): Promise<MailServer> {
  const dir = await mkdtemp(join(tmpdir(), 'hermes-mail-'))
  await chmod(dir, 0o755)
  // Its owner is made by the server.
  await mkdir(join(dir, 'mail'))
  await chmod(join(dir, 'mail'), 0o777)
  const certificate = await makeCertificate(dir)
  const ports = await freePorts(['imap', 'imaps', 'mx', 'submission', 'submissions'])
  const [name, password] = ['mail.example.test', 'correct-horse-9']
  const reading = { dir, password, ports: { imap: ports.imap, imaps: ports.imaps }, certificate }
  const writing = {
    dir,
    name,
    maxBytes,
    certificate,
    domains: ['example.test', 'friend.test'],
    ports: { mx: ports.mx, submission: ports.submission, submissions: ports.submissions },
    sockets: dovecotSockets(dir),
  }
  await using opening = new AsyncDisposableStack()
  opening.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  let dovecot = await startDovecot(reading, true)
  opening.defer(() => dovecot.stop())
  const postfix = await startPostfix(writing)
  opening.defer(() => postfix.stop())
  const held = opening.move()
  let addresses = 0
  return {
    ports,
    name,
    password,
    caFile: certificate.certFile,
    address: (person, domain = 'example.test') => `${person}${++addresses}@${domain}`,
    stopReading: () => dovecot.stop(),
    async startReading({ hasIdle = true } = {}) {
      dovecot = await startDovecot(reading, hasIdle)
    },
    async renumber(address) {
      const folder = join(dir, 'mail', address)
      const marks = (await readdir(folder)).filter((file) => file.startsWith('dovecot'))
      await Promise.all(marks.map((file) => rm(join(folder, file), { recursive: true })))
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
