import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

// What is read of the service's objects: https://discord.com/developers/docs/resources

/** Kinds of channels: https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
export const channelType = {
  text: 0,
  dm: 1,
  groupDm: 3,
  news: 5,
  newsThread: 10,
  thread: 11,
  privateThread: 12,
  forum: 15,
  media: 16,
} as const

const user = z.looseObject({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  discriminator: z.string().nullish(),
  bot: z.boolean().nullish(),
})

export type DiscordUser = z.infer<typeof user>

const member = lazily(() => z.looseObject({ nick: z.string().nullish(), roles: z.array(z.string()).default([]) }))

const attachment = lazily(() =>
  z.looseObject({
    id: z.string(),
    filename: z.string(),
    size: z.number(),
    url: z.string(),
    content_type: z.string().nullish(),
  }),
)

export type DiscordAttachment = z.infer<ReturnType<typeof attachment>>

const sticker = lazily(() => z.looseObject({ name: z.string() }))
const poll = lazily(() =>
  z.looseObject({
    question: z.looseObject({ text: z.string().nullish() }),
    answers: z.array(z.looseObject({ poll_media: z.looseObject({ text: z.string().nullish() }) })).default([]),
  }),
)

const said = lazily(() => ({
  content: z.string().default(''),
  attachments: z.array(attachment()).default([]),
  sticker_items: z.array(sticker()).default([]),
}))

export const message = lazily(() =>
  z.looseObject({
    ...said(),
    id: z.string(),
    channel_id: z.string(),
    guild_id: z.string().nullish(),
    channel_type: z.number().nullish(),
    author: user,
    member: member().nullish(),
    type: z.number(),
    flags: z.number().default(0),
    timestamp: z.string(),
    webhook_id: z.string().nullish(),
    mentions: z.array(user).default([]),
    mention_roles: z.array(z.string()).default([]),
    referenced_message: z.looseObject({ author: user.nullish(), content: z.string().default('') }).nullish(),
    message_snapshots: z.array(z.looseObject({ message: z.looseObject(said()) })).default([]),
    poll: poll().nullish(),
  }),
)

export type DiscordMessage = z.infer<ReturnType<typeof message>>

export const channel = z.looseObject({
  id: z.string(),
  type: z.number(),
  guild_id: z.string().nullish(),
  parent_id: z.string().nullish(),
  name: z.string().nullish(),
  topic: z.string().nullish(),
})

export type DiscordChannel = z.infer<typeof channel>

export const guild = z.looseObject({
  id: z.string(),
  name: z.string().default(''),
  channels: z.array(channel).default([]),
  threads: z.array(channel).default([]),
  roles: z
    .array(z.looseObject({ id: z.string(), tags: z.looseObject({ bot_id: z.string().nullish() }).nullish() }))
    .default([]),
})

export const interaction = lazily(() =>
  z.looseObject({
    id: z.string(),
    type: z.number(),
    token: z.string(),
    channel_id: z.string().nullish(),
    guild_id: z.string().nullish(),
    channel: channel.partial().nullish(),
    user: user.nullish(),
    member: member().extend({ user: user.nullish() }).nullish(),
    data: z
      .looseObject({
        name: z.string().nullish(),
        custom_id: z.string().nullish(),
        options: z.array(z.looseObject({ name: z.string(), value: z.unknown().optional() })).default([]),
      })
      .nullish(),
  }),
)

export type DiscordInteraction = z.infer<ReturnType<typeof interaction>>

export const ready = z.looseObject({
  session_id: z.string(),
  resume_gateway_url: z.string(),
  user,
  application: z.looseObject({ id: z.string() }),
})

export type DiscordReady = z.infer<typeof ready>

/** A payload of the gateway. */
export const frame = z.looseObject({
  op: z.number(),
  d: z.unknown().optional(),
  s: z.number().nullish(),
  t: z.string().nullish(),
})

export type GatewayFrame = z.infer<typeof frame>

export const hello = z.looseObject({ heartbeat_interval: z.number().positive() })

export const gatewayInfo = z.looseObject({
  url: z.string(),
  session_start_limit: z.looseObject({ remaining: z.number(), reset_after: z.number() }).optional(),
})

export const sentMessage = z.looseObject({ id: z.string() })

/** What stands in an answer that says no: https://discord.com/developers/docs/reference#error-messages */
export const refusal = lazily(() =>
  z.looseObject({
    code: z.number().default(0),
    message: z.string().default(''),
    errors: z.unknown().optional(),
    retry_after: z.number().optional(),
    global: z.boolean().optional(),
  }),
)

export type DiscordRefusal = z.infer<ReturnType<typeof refusal>>
