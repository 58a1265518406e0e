import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { z } from 'zod'
import { extraProblem } from '../extra-problem.ts'
import type { TextWaits } from '../batches.ts'
import type { PlatformSetup } from '../platform.ts'
import { isPublicAddress } from './fallback-addresses.ts'
import { knownTopics, newTopics, topicsOfChats } from './topics.ts'
import type { KnownTopic, NewTopic } from './topics.ts'

/** `platforms.telegram.extra`. */
const extra = z.looseObject({
  base_url: z.url().optional(),
  base_file_url: z.url().optional(),
  fallback_ips: z.union([z.string(), z.array(z.string())]).optional(),
  dm_topics: topicsOfChats,
  group_topics: topicsOfChats,
})

export interface TelegramSettings {
  readonly token: string
  /** Where its Bot API is, without a slash at the end. */
  readonly apiRoot: string
  /** Where its files are, without a slash at the end. */
  readonly fileRoot: string
  readonly replyTo: 'off' | 'first' | 'all'
  readonly group: GroupRules
  /** Show by reactions how far the work is. */
  readonly reactions: boolean
  readonly topics: readonly KnownTopic[]
  /** Topics of direct chats that are to be made. */
  readonly newTopics: readonly NewTopic[]
  /** Other addresses of the service, where connecting to it fails: those that are named, or whatever is found. */
  readonly fallback?: { readonly addresses: readonly string[] }
  /** Absent: it is polled. */
  readonly webhook?: WebhookSettings
  readonly timing: TelegramTiming
}

/** Which messages of groups are for the agent. */
export interface GroupRules {
  readonly requireMention: boolean
  readonly freeChats: ReadonlySet<string>
  readonly ignoredThreads: ReadonlySet<string>
  readonly patterns: readonly RegExp[]
}

export interface WebhookSettings {
  /** Where Telegram reaches it. */
  readonly url: string
  readonly port: number
  readonly secret: string
}

/** Waits, ms. */
export interface TelegramTiming extends TextWaits {
  /** For the rest of an album, or of a burst of pictures. */
  readonly mediaBatchMs: number
  /** Before polling again while another process polls. */
  readonly conflictMs: number
  /** Before polling again after the first failure. */
  readonly retryMs: number
  /** Longest that one poll lasts without news, seconds. */
  readonly pollSeconds: number
}

const officialRoot = 'https://api.telegram.org'

/** Values that examples hold instead of a token. */
const placeholders = /^(your[-_ ]|<|changeme|placeholder|token$|xxx)/i

/** Longest secret that Telegram takes, and its characters. */
const secretPattern = /^[\w-]{1,256}$/

export function readSettings(config: Config, environment: Environment): PlatformSetup<TelegramSettings> {
  const own = config.platforms['telegram']
  const token = (environment['TELEGRAM_BOT_TOKEN'] || own?.token || '').trim()
  if (own?.enabled === false) return { state: 'absent' }
  if (token === '') {
    return own?.enabled
      ? incomplete('it has no token. Put TELEGRAM_BOT_TOKEN into .env; @BotFather gives one.')
      : { state: 'absent' }
  }
  if (placeholders.test(token)) {
    return incomplete('TELEGRAM_BOT_TOKEN still holds the example. Put the token of @BotFather into .env.')
  }
  const parsed = extra.safeParse(own?.extra ?? {})
  if (!parsed.success) return incomplete(extraProblem('telegram', parsed.error))
  const webhook = readWebhook(environment)
  if (typeof webhook === 'string') return incomplete(webhook)
  const ips = environment['TELEGRAM_FALLBACK_IPS'] ?? parsed.data.fallback_ips
  const { base_url: apiRoot = officialRoot, base_file_url: fileRoot, dm_topics: dm, group_topics: groups } = parsed.data
  const root = trimRoot(apiRoot)
  return {
    state: 'ready',
    settings: {
      token,
      apiRoot: root,
      fileRoot: fileRoot === undefined ? `${root}/file` : trimRoot(fileRoot.replace(/\/bot\/?$/, '')),
      replyTo: replyMode(environment['TELEGRAM_REPLY_TO_MODE'] ?? own?.reply_to_mode),
      group: readGroupRules(config, environment, own?.extra ?? {}),
      reactions: flag(environment['TELEGRAM_REACTIONS']) ?? config.telegram.reactions,
      topics: knownTopics([...dm, ...groups]),
      newTopics: newTopics(dm),
      ...(root === officialRoot &&
        flag(environment['HERMES_TELEGRAM_DISABLE_FALLBACK_IPS']) !== true && {
          fallback: { addresses: (list(ips) ?? []).filter(isPublicAddress) },
        }),
      ...(webhook && { webhook }),
      timing: {
        mediaBatchMs: seconds(environment['HERMES_TELEGRAM_MEDIA_BATCH_DELAY_SECONDS'], 0.8),
        textBatchMs: seconds(environment['HERMES_TELEGRAM_TEXT_BATCH_SPLIT_DELAY_SECONDS'], 2),
        quietMs: seconds(environment['HERMES_TELEGRAM_TEXT_BATCH_DELAY_SECONDS'], 0),
        conflictMs: 10_000,
        retryMs: 1_000,
        pollSeconds: 30,
      },
    },
  }
}

function incomplete(reason: string): PlatformSetup<TelegramSettings> {
  return { state: 'incomplete', reason }
}

/** Upstream's form ends in `/bot`, to which it adds the token. */
function trimRoot(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/bot$/, '')
}

function readWebhook(environment: Environment): WebhookSettings | string | undefined {
  const url = (environment['TELEGRAM_WEBHOOK_URL'] ?? '').trim()
  if (url === '') return undefined
  if (!URL.canParse(url)) return 'TELEGRAM_WEBHOOK_URL is no URL.'
  const secret = (environment['TELEGRAM_WEBHOOK_SECRET'] ?? '').trim()
  // Without it everybody who knows the URL could speak as anybody.
  if (!secretPattern.test(secret)) {
    return 'with TELEGRAM_WEBHOOK_URL it needs TELEGRAM_WEBHOOK_SECRET: 1 to 256 letters, digits, _ or - that nobody can guess.'
  }
  const port = Number(environment['TELEGRAM_WEBHOOK_PORT'] || 8443)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'TELEGRAM_WEBHOOK_PORT is no port.'
  return { url, port, secret }
}

function readGroupRules(config: Config, environment: Environment, own: Readonly<Record<string, unknown>>): GroupRules {
  const { telegram } = config
  const pick = (variable: string, key: string, general: readonly string[]) =>
    list(environment[variable]) ?? list(own[key]) ?? general
  const patterns = pick('TELEGRAM_MENTION_PATTERNS', 'mention_patterns', telegram.mention_patterns)
  return {
    requireMention:
      flag(environment['TELEGRAM_REQUIRE_MENTION']) ?? flag(own['require_mention']) ?? telegram.require_mention,
    freeChats: new Set(pick('TELEGRAM_FREE_RESPONSE_CHATS', 'free_response_chats', telegram.free_response_chats)),
    ignoredThreads: new Set(pick('TELEGRAM_IGNORED_THREADS', 'ignored_threads', telegram.ignored_threads)),
    patterns: patterns.flatMap((pattern) => compiled(pattern) ?? []),
  }
}

/** One that is no pattern counts as none. */
function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'iu')
  } catch {
    return undefined
  }
}

/** A list as people write it: JSON, else lines, else with commas. */
function list(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const text = value.trim()
  if (text.startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(text)
      if (Array.isArray(parsed)) return parsed.map(String)
    } catch {
      // No JSON: a pattern may begin with a bracket, too.
      return [text]
    }
  }
  return text.split(text.includes('\n') ? '\n' : ',').flatMap((item) => item.trim() || [])
}

function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}

function replyMode(value: string | undefined): TelegramSettings['replyTo'] {
  const word = (value ?? '').trim().toLowerCase()
  return word === 'off' || word === 'all' ? word : 'first'
}

function seconds(value: string | undefined, fallback: number): number {
  const number = value === undefined || value.trim() === '' ? fallback : Number(value)
  return (Number.isFinite(number) && number >= 0 ? Math.min(number, 30) : fallback) * 1000
}
