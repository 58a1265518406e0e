import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { z } from 'zod'
import { extraProblem } from '../extra-problem.ts'
import type { TextWaits } from '../batches.ts'
import type { PlatformSetup } from '../platform.ts'

const id = z.union([z.string(), z.number()]).transform(String)

/** `channel_skill_bindings`: what a place asks for. */
const skillBinding = z.looseObject({
  id,
  skill: z.string().optional(),
  skills: z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional(),
})

/** `platforms.discord.extra`. */
const extra = z.looseObject({
  base_url: z.url().optional(),
  cdn_url: z.url().optional(),
  channel_skill_bindings: z.array(skillBinding).optional(),
})

export interface DiscordSettings {
  readonly token: string
  /** What stands before `/v10`. */
  readonly apiRoot: string
  /** Beginnings of the addresses of files; no other is fetched from. */
  readonly fileRoots: readonly string[]
  readonly proxy?: string
  readonly replyTo: 'off' | 'first' | 'all'
  readonly rules: ChannelRules
  /** Entries of `DISCORD_ALLOWED_USERS`. */
  readonly allowedUsers: readonly string[]
  /** Show by reactions how far the work is. */
  readonly reactions: boolean
  /** Skills by the id of their channel. */
  readonly skills: ReadonlyMap<string, readonly string[]>
  readonly timing: DiscordTiming
}

/** Which messages of guilds are for the agent, and where it answers. */
export interface ChannelRules {
  readonly requireMention: boolean
  readonly freeChannels: ReadonlySet<string>
  /** Empty: all. */
  readonly allowedChannels: ReadonlySet<string>
  readonly ignoredChannels: ReadonlySet<string>
  readonly autoThread: boolean
  readonly noThreadChannels: ReadonlySet<string>
  readonly allowBots: 'none' | 'mentions' | 'all'
  /** Leave messages alone that name others and not the agent. */
  readonly ignoresOthersMentions: boolean
}

/** Waits, ms. */
export interface DiscordTiming extends TextWaits {
  /** For the service to say that it is ready. */
  readonly readyMs: number
  /** Before connecting again after the first failure. */
  readonly retryMs: number
}

const officialApi = 'https://discord.com/api'
const officialFiles = ['https://cdn.discordapp.com/', 'https://media.discordapp.net/']

/** Values that examples hold instead of a token. */
const placeholders = /^(your[-_ ]|<|changeme|placeholder|token$|xxx)/i

export function readSettings(config: Config, environment: Environment): PlatformSetup<DiscordSettings> {
  const own = config.platforms['discord']
  const token = (environment['DISCORD_BOT_TOKEN'] || own?.token || '').trim()
  if (own?.enabled === false) return { state: 'absent' }
  if (token === '') {
    const reason = 'it has no token. Put DISCORD_BOT_TOKEN into .env; the developer portal gives one.'
    return own?.enabled ? { state: 'incomplete', reason } : { state: 'absent' }
  }
  if (placeholders.test(token)) {
    return { state: 'incomplete', reason: 'DISCORD_BOT_TOKEN still holds the example. Put the bot’s token into .env.' }
  }
  const parsed = extra.safeParse(own?.extra ?? {})
  if (!parsed.success) {
    return { state: 'incomplete', reason: extraProblem('discord', parsed.error) }
  }
  const { base_url: apiRoot = officialApi, cdn_url: files } = parsed.data
  const proxy = (environment['DISCORD_PROXY'] ?? '').trim()
  if (proxy !== '' && !/^(?:https?|socks(?:5h?)?):\/\//i.test(proxy)) {
    return { state: 'incomplete', reason: 'DISCORD_PROXY is no http://, https:// or socks5:// address.' }
  }
  return {
    state: 'ready',
    settings: {
      token: token.replace(/^Bot\s+/i, ''),
      apiRoot: apiRoot.replace(/\/+$/, ''),
      fileRoots: files === undefined ? officialFiles : [`${files.replace(/\/+$/, '')}/`],
      ...(proxy !== '' && { proxy }),
      replyTo: replyMode(environment['DISCORD_REPLY_TO_MODE'] ?? own?.reply_to_mode),
      rules: readRules(config, environment, own?.extra ?? {}),
      allowedUsers: list(environment['DISCORD_ALLOWED_USERS']) ?? [],
      reactions: flag(environment['DISCORD_REACTIONS']) ?? config.discord.reactions,
      skills: readSkills(parsed.data.channel_skill_bindings ?? boundSkills(config)),
      timing: {
        textBatchMs: seconds(environment['HERMES_DISCORD_TEXT_BATCH_SPLIT_DELAY_SECONDS'], 2),
        quietMs: seconds(environment['HERMES_DISCORD_TEXT_BATCH_DELAY_SECONDS'], 0),
        readyMs: 30_000,
        retryMs: 1_000,
      },
    },
  }
}

function readRules(config: Config, environment: Environment, own: Readonly<Record<string, unknown>>): ChannelRules {
  const { discord } = config
  const pick = (key: string, general: readonly string[]) =>
    new Set(list(environment[`DISCORD_${key.toUpperCase()}`]) ?? list(own[key]) ?? general)
  const bots = (environment['DISCORD_ALLOW_BOTS'] ?? '').trim().toLowerCase()
  return {
    requireMention:
      flag(environment['DISCORD_REQUIRE_MENTION']) ?? flag(own['require_mention']) ?? discord.require_mention,
    freeChannels: pick('free_response_channels', discord.free_response_channels),
    allowedChannels: pick('allowed_channels', discord.allowed_channels),
    ignoredChannels: pick('ignored_channels', discord.ignored_channels),
    autoThread: flag(environment['DISCORD_AUTO_THREAD']) ?? discord.auto_thread,
    noThreadChannels: pick('no_thread_channels', discord.no_thread_channels),
    allowBots: bots === 'mentions' || bots === 'all' ? bots : 'none',
    ignoresOthersMentions: flag(environment['DISCORD_IGNORE_NO_MENTION']) ?? true,
  }
}

type SkillBinding = z.infer<typeof skillBinding>

/** Those of the section `discord`, which keeps keys that it does not know. */
function boundSkills({ discord }: Config): readonly SkillBinding[] {
  return z.array(skillBinding).safeParse(Reflect.get(discord, 'channel_skill_bindings')).data ?? []
}

function readSkills(bindings: readonly SkillBinding[]): DiscordSettings['skills'] {
  return new Map(
    bindings.map(({ id: channel, skill, skills = [] }) => {
      const named = [...(skill === undefined ? [] : [skill]), ...skills]
      return [channel, [...new Set(named)]]
    }),
  )
}

/** A list as people write it. */
function list(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value.split(/[,\n]/).flatMap((item) => item.trim() || [])
}

function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}

function replyMode(value: string | undefined): DiscordSettings['replyTo'] {
  const word = (value ?? '').trim().toLowerCase()
  return word === 'off' || word === 'all' ? word : 'first'
}

function seconds(value: string | undefined, fallback: number): number {
  const number = value === undefined || value.trim() === '' ? fallback : Number(value)
  return (Number.isFinite(number) && number >= 0 ? Math.min(number, 30) : fallback) * 1000
}
