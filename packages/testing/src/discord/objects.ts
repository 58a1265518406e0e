import { channelTypes, ids } from './world.ts'
import type { BotMessage, DiscordChannel, DiscordUser, DiscordWorld, Fields } from './world.ts'

// What the world holds in the service's form: https://discord.com/developers/docs/resources

export function userObject({ id, username, global_name, bot }: DiscordUser): Fields {
  return { id, username, global_name, discriminator: '0', avatar: null, ...(bot && { bot }) }
}

export function memberObject(world: DiscordWorld, userId: string): Fields {
  return {
    roles: world.roles.get(userId) ?? [],
    nick: null,
    joined_at: '2024-01-01T00:00:00.000000+00:00',
    deaf: false,
    mute: false,
    flags: 0,
  }
}

export function channelObject(world: DiscordWorld, channel: DiscordChannel): Fields {
  const { id, type, guildId, parentId, name, topic, isArchived, isLocked } = channel
  if (type === channelTypes.dm) {
    const ann = world.users.get(ids.ann)
    return { id, type, last_message_id: null, recipients: ann ? [userObject(ann)] : [] }
  }
  const isThread = type === channelTypes.publicThread
  return {
    id,
    type,
    guild_id: guildId,
    name,
    position: 0,
    permission_overwrites: [],
    nsfw: false,
    parent_id: parentId ?? null,
    ...(!isThread && { topic: topic ?? null }),
    ...(type === channelTypes.forum && { available_tags: [], default_sort_order: null, default_reaction_emoji: null }),
    ...(isThread && {
      owner_id: ids.me,
      message_count: 0,
      member_count: 1,
      thread_metadata: {
        archived: isArchived ?? false,
        locked: isLocked ?? false,
        auto_archive_duration: 1_440,
        archive_timestamp: '2024-01-01T00:00:00.000000+00:00',
      },
    }),
  }
}

/** What `GUILD_CREATE` holds. */
export function guildObject(world: DiscordWorld): Fields {
  const { id, name, botRoleId } = world.guild
  const role = { color: 0, hoist: false, position: 0, permissions: '1071698660929', mentionable: false, flags: 0 }
  const all = [...world.channels.values()].filter(({ guildId }) => guildId === id)
  const isThread = ({ type }: DiscordChannel) => type === channelTypes.publicThread
  const member = (user: DiscordUser) => ({ ...memberObject(world, user.id), user: userObject(user) })
  return {
    id,
    name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: ids.ann,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [
      { ...role, id, name: '@everyone', managed: false },
      { ...role, id: botRoleId, name: 'Hermes', managed: true, tags: { bot_id: world.me.id } },
    ],
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    preferred_locale: 'en-US',
    public_updates_channel_id: null,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    joined_at: '2024-01-01T00:00:00.000000+00:00',
    large: false,
    unavailable: false,
    member_count: 3,
    voice_states: [],
    members: [member(world.me)],
    channels: all.filter((channel) => !isThread(channel)).map((channel) => channelObject(world, channel)),
    threads: all.filter(isThread).map((channel) => channelObject(world, channel)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  }
}

const plain = {
  tts: false,
  mention_everyone: false,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  pinned: false,
  edited_timestamp: null,
  components: [],
  flags: 0,
}

/** A message that a person writes. */
export function personMessage(
  world: DiscordWorld,
  message: {
    readonly id: string
    readonly channel: DiscordChannel
    readonly user: DiscordUser
    readonly fields: Fields
  },
): Fields {
  const { id, channel, user, fields } = message
  return {
    ...plain,
    id,
    channel_id: channel.id,
    author: userObject(user),
    content: '',
    timestamp: new Date().toISOString(),
    type: 0,
    channel_type: channel.type,
    ...(channel.guildId !== undefined && { guild_id: channel.guildId, member: memberObject(world, user.id) }),
    ...fields,
  }
}

/** A message of the bot, as the service gives it back. */
export function botMessage(world: DiscordWorld, message: BotMessage): Fields {
  const { id, channelId, content, replyTo, nonce, files, body } = message
  return {
    ...plain,
    id,
    channel_id: channelId,
    author: userObject(world.me),
    content,
    timestamp: new Date().toISOString(),
    type: replyTo === undefined ? 0 : 19,
    flags: body['flags'] ?? 0,
    components: body['components'] ?? [],
    attachments: files.map(({ name, bytes }, at) => ({
      id: String(at),
      filename: name,
      size: bytes.length,
      url: `http://cdn.invalid/${name}`,
      proxy_url: `http://cdn.invalid/${name}`,
    })),
    ...(nonce !== undefined && { nonce }),
    ...(replyTo !== undefined && { message_reference: { message_id: replyTo, channel_id: channelId } }),
  }
}
