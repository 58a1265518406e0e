import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { isLoopback } from '@hermes/core/models/net/address.ts'
import { z } from 'zod'
import type { PlatformSetup } from '../platform.ts'
import { normalAddress } from './address.ts'
import { trustedServers } from './trusted-servers.ts'

export interface EmailSettings {
  /** Its own, in lower case. */
  readonly address: string
  /** Shown as the sender. */
  readonly name: string
  readonly username: string
  readonly password: string
  readonly imap: MailServerAddress
  readonly smtp: MailServerAddress
  readonly certificates: {
    /** File (PEM) of an authority of one's own. */
    readonly caFile: string | undefined
    readonly areChecked: boolean
  }
  readonly folder: string
  readonly skipAttachments: boolean
  /** Of a larger mail only the beginning is read. */
  readonly maxMailBytes: number
  readonly senders: SenderRules
  readonly timing: EmailTiming
}

export interface MailServerAddress {
  readonly host: string
  readonly port: number
  readonly security: Security
}

/** `tls`: from the first byte; `starttls`: before anybody signs in; `none`: on this machine alone. */
export type Security = 'tls' | 'starttls' | 'none'

/** How it is known who has written. */
export interface SenderRules {
  readonly areChecked: boolean
  /** Names that its own mail server gives itself in `Authentication-Results`. */
  readonly trusted: readonly string[]
}

/** Waits, ms. */
export interface EmailTiming {
  /** Between looks where the server does not tell of new mail. */
  readonly pollMs: number
  /** Longest that the server is waited for to tell of new mail; then it is asked. */
  readonly idleMs: number
  /** Longest answer to one command. */
  readonly callMs: number
  /** Before a mail that could not be stored is tried again. */
  readonly retryMs: number
}

const security = z.enum(['tls', 'starttls', 'none'])
const port = z.coerce.number('it is no port').int('it is no port').min(1).max(65_535)
const flag = z.union([
  z.boolean(),
  z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['true', '1', 'yes', 'on', 'false', '0', 'no', 'off']))
    .transform((word) => ['true', '1', 'yes', 'on'].includes(word)),
])
const names = z.union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+/))])

/** `platforms.email.extra`; each of them is a variable as well: `imap_host` is `EMAIL_IMAP_HOST`. */
const schema = z.looseObject({
  address: z.string().trim().optional(),
  name: z.string().trim().min(1).max(100).default('Hermes'),
  username: z.string().optional(),
  password: z.string().optional(),
  imap_host: z.string().trim().optional(),
  imap_port: port.default(993),
  imap_security: security.optional(),
  smtp_host: z.string().trim().optional(),
  smtp_port: port.default(587),
  smtp_security: security.optional(),
  ca_file: z.string().trim().optional(),
  verify_certificates: flag.default(true),
  folder: z.string().min(1).default('INBOX'),
  poll_interval: z.coerce.number().min(1).max(3_600).default(15),
  skip_attachments: flag.default(false),
  max_mail_mb: z.coerce.number().min(1).max(50).default(30),
  sender_check: flag.default(true),
  authserv_id: names.default([]),
})

type Given = z.infer<typeof schema>

export function readSettings(config: Config, environment: Environment): PlatformSetup<EmailSettings> {
  const own = config.platforms['email']
  if (own?.enabled === false) return { state: 'absent' }
  const parsed = schema.safeParse({ ...config.email, ...own?.extra, ...variables(environment) })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return incomplete(`its setting ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { address, password, imap_host: imapHost, smtp_host: smtpHost } = parsed.data
  if (!address && !password && !imapHost && !smtpHost && !own?.enabled) return { state: 'absent' }
  const missing = Object.entries({
    EMAIL_ADDRESS: address,
    EMAIL_PASSWORD: password,
    EMAIL_IMAP_HOST: imapHost,
    EMAIL_SMTP_HOST: smtpHost,
  }).flatMap(([name, value]) => (value ? [] : [name]))
  if (!address || !password || !imapHost || !smtpHost) {
    return incomplete(`it also needs ${missing.join(', ')}. Put ${missing.length === 1 ? 'it' : 'them'} into .env.`)
  }
  return settingsOf(parsed.data, { address, password, imapHost, smtpHost })
}

interface Needed {
  readonly address: string
  readonly password: string
  readonly imapHost: string
  readonly smtpHost: string
}

function settingsOf(given: Given, { address, password, imapHost, smtpHost }: Needed): PlatformSetup<EmailSettings> {
  const own = normalAddress(address)
  if (own === undefined) return incomplete('EMAIL_ADDRESS is no address.')
  const imapSecurity = given.imap_security ?? (given.imap_port === 143 ? 'starttls' : 'tls')
  const smtpSecurity = given.smtp_security ?? (given.smtp_port === 465 ? 'tls' : 'starttls')
  const imap: MailServerAddress = { host: imapHost, port: given.imap_port, security: imapSecurity }
  const smtp: MailServerAddress = { host: smtpHost, port: given.smtp_port, security: smtpSecurity }
  const open = [imap, smtp].find((server) => server.security === 'none' && !isLoopback(server.host))
  if (open) return incomplete(`the password would cross the network unencrypted: ${open.host} needs tls or starttls.`)
  const configured = given.authserv_id.flatMap((name) => name.trim().toLowerCase() || [])
  return {
    state: 'ready',
    settings: {
      address: own,
      name: given.name,
      username: given.username || address,
      password,
      imap,
      smtp,
      certificates: { caFile: given.ca_file || undefined, areChecked: given.verify_certificates },
      folder: given.folder,
      skipAttachments: given.skip_attachments,
      maxMailBytes: given.max_mail_mb * 1024 * 1024,
      senders: {
        areChecked: given.sender_check,
        trusted: configured.length > 0 ? configured : trustedServers(own, imapHost),
      },
      timing: { pollMs: given.poll_interval * 1000, idleMs: 240_000, callMs: 30_000, retryMs: 2_000 },
    },
  }
}

/** What is set in the environment goes first; an empty value sets nothing. */
function variables(environment: Environment): Readonly<Record<string, string>> {
  const found = Object.keys(schema.shape).map((key) => [key, environment[`EMAIL_${key.toUpperCase()}`]] as const)
  return Object.fromEntries(found.flatMap(([key, value]) => (value?.trim() ? [[key, value] as const] : [])))
}

function incomplete(reason: string): PlatformSetup<EmailSettings> {
  return { state: 'incomplete', reason }
}
