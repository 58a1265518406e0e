import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { z } from 'zod'
import { extraProblem } from '../extra-problem.ts'
import type { PlatformSetup } from '../platform.ts'

/** `platforms.slack.extra`. */
const extra = z.looseObject({
  reply_in_thread: z.boolean().default(true),
  reply_broadcast: z.boolean().default(false),
  reactions: z.boolean().default(true),
  base_url: z.url().default('https://slack.com/api/'),
})

export interface SlackSettings {
  /** One a workspace. */
  readonly botTokens: readonly string[]
  readonly transport: SlackTransport
  /** Where its Web API is, with a slash at the end. */
  readonly apiUrl: string
  readonly channels: ChannelRules
  /** Answer to a message of a channel in a thread below it. */
  readonly replyInThread: boolean
  /** The first message of an answer in a thread is shown in the channel, too. */
  readonly replyBroadcast: boolean
  /** Show by reactions how far the work is. */
  readonly reactions: boolean
  readonly timing: SlackTiming
}

export type SlackTransport =
  | { readonly type: 'socket'; readonly appToken: string }
  | { readonly type: 'http'; readonly signingSecret: string; readonly host: string; readonly port: number }

/** Which messages of channels are for the agent. */
export interface ChannelRules {
  readonly requireMention: boolean
  readonly freeChannels: ReadonlySet<string>
  readonly bots: 'none' | 'mentions' | 'all'
}

/** Waits, ms. */
export interface SlackTiming {
  /** Longest that an event is worked on before it is noted on disk and acknowledged. */
  readonly ackMs: number
  /** Before connecting again after the first failure. */
  readonly retryMs: number
  /** Between two tries to fetch a file, times the number of the try. */
  readonly downloadRetryMs: number
}

/** Values that examples hold instead of a token. */
const placeholders = /^(xox[bp]-|xapp-)?(your[-_ ]|<|changeme|placeholder|token$|\.{3}|xxx)/i

export function readSettings(config: Config, environment: Environment): PlatformSetup<SlackSettings> {
  const own = config.platforms['slack']
  if (own?.enabled === false) return { state: 'absent' }
  const botTokens = list(environment['SLACK_BOT_TOKEN']) ?? list(own?.token) ?? []
  if (botTokens.length === 0) {
    return own?.enabled === true || environment['SLACK_APP_TOKEN']
      ? incomplete(
          'it has no bot token. Put SLACK_BOT_TOKEN (xoxb-…) into .env; the app’s page "OAuth & Permissions" shows it.',
        )
      : { state: 'absent' }
  }
  for (const [name, values] of [
    ['SLACK_BOT_TOKEN', botTokens],
    ['SLACK_APP_TOKEN', [environment['SLACK_APP_TOKEN'] ?? '']],
  ] as const) {
    if (values.some((value) => placeholders.test(value))) return incomplete(`${name} still holds the example.`)
  }
  const parsed = extra.safeParse(own?.extra ?? {})
  if (!parsed.success) return incomplete(extraProblem('slack', parsed.error))
  const transport = readTransport(environment)
  if (typeof transport === 'string') return incomplete(transport)
  return {
    state: 'ready',
    settings: {
      botTokens,
      transport,
      apiUrl: parsed.data.base_url.replace(/\/*$/, '/'),
      channels: readChannelRules(config, environment, own?.extra ?? {}),
      replyInThread: parsed.data.reply_in_thread,
      replyBroadcast: parsed.data.reply_broadcast,
      reactions: parsed.data.reactions,
      timing: { ackMs: 2_000, retryMs: 1_000, downloadRetryMs: 1_500 },
    },
  }
}

function incomplete(reason: string): PlatformSetup<SlackSettings> {
  return { state: 'incomplete', reason }
}

/** By Socket Mode where there is an app token, else over HTTP. */
function readTransport(environment: Environment): SlackTransport | string {
  const appToken = (environment['SLACK_APP_TOKEN'] ?? '').trim()
  if (appToken !== '') return { type: 'socket', appToken }
  const signingSecret = (environment['SLACK_SIGNING_SECRET'] ?? '').trim()
  if (signingSecret === '') {
    return 'it needs SLACK_APP_TOKEN (xapp-…, for Socket Mode) or SLACK_SIGNING_SECRET (for the Events API over HTTP) in .env.'
  }
  const port = Number(environment['SLACK_HTTP_PORT'] || 3_000)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'SLACK_HTTP_PORT is no port.'
  return { type: 'http', signingSecret, port, host: (environment['SLACK_HTTP_HOST'] ?? '').trim() || '127.0.0.1' }
}

function readChannelRules(
  config: Config,
  environment: Environment,
  own: Readonly<Record<string, unknown>>,
): ChannelRules {
  const { slack } = config
  const asked = environment['SLACK_ALLOW_BOTS'] || own['allow_bots']
  const bots = typeof asked === 'string' ? asked.trim().toLowerCase() : slack.allow_bots
  return {
    // What is no clear word leaves the stricter rule.
    requireMention: flag(environment['SLACK_REQUIRE_MENTION']) ?? flag(own['require_mention']) ?? slack.require_mention,
    freeChannels: new Set(
      list(environment['SLACK_FREE_RESPONSE_CHANNELS']) ??
        list(own['free_response_channels']) ??
        slack.free_response_channels,
    ),
    bots: bots === 'all' || bots === 'mentions' ? bots : 'none',
  }
}

function list(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value.split(',').flatMap((item) => item.trim() || [])
}

function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}
