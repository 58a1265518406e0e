import type { ChatType } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { channel as channelSchema, channelType, guild as guildSchema } from './payloads.ts'
import type { DiscordChannel } from './payloads.ts'
import type { ListedChannel } from '../platform.ts'
import type { DiscordRest } from './rest.ts'

/** Channels and guilds that are remembered; of others is asked again. */
const maxChannels = 5_000
const maxGuilds = 500

/** A place where messages are written. */
export interface Place {
  readonly chatId: string
  readonly chatType: ChatType
  readonly threadId?: string
  readonly chatName?: string
  readonly chatTopic?: string
  readonly guildId?: string
  /** Of a thread: the channel or forum that it is in. */
  readonly parentId?: string
}

/** Which channels there are, as far as that was told or asked. */
export interface Places {
  noteGuild(data: unknown): void
  noteChannel(data: unknown): void
  forget(data: unknown): void
  /** Role that the service made for the bot in a guild: who names it means the bot. */
  botRole(guildId: string): string | undefined
  /** Channels of text of all servers, as far as the service has told of them. */
  list(): readonly ListedChannel[]
  /** Throws `PlatformError`. */
  find(channelId: string, signal: AbortSignal): Promise<Place>
}

export function createPlaces(rest: DiscordRest, botId: () => string): Places {
  const channels = new Map<string, DiscordChannel>()
  const guilds = new Map<string, { readonly name: string; readonly botRoleId: string | undefined }>()

  const keep = (channel: DiscordChannel, guildId?: string) => {
    const known = { ...channel, ...(guildId !== undefined && { guild_id: guildId }) }
    trim(channels, maxChannels)
    channels.delete(channel.id)
    channels.set(channel.id, known)
    return known
  }
  const noteGuild = (data: unknown) => {
    const found = guildSchema.safeParse(data).data
    if (!found) return
    const botRoleId = found.roles.find(({ tags }) => tags?.bot_id === botId())?.id
    trim(guilds, maxGuilds)
    guilds.set(found.id, { name: found.name, botRoleId: botRoleId ?? guilds.get(found.id)?.botRoleId })
    for (const channel of [...found.channels, ...found.threads]) keep(channel, found.id)
  }
  async function channelOf(id: string, signal: AbortSignal): Promise<DiscordChannel> {
    const known = channels.get(id)
    return known ?? keep(await rest.call(channelSchema, { method: 'GET', path: `/channels/${id}` }, signal))
  }
  async function guildName(id: string, signal: AbortSignal): Promise<string> {
    if (!guilds.has(id)) noteGuild(await rest.call(guildSchema, { method: 'GET', path: `/guilds/${id}` }, signal))
    return guilds.get(id)?.name ?? ''
  }

  return {
    noteGuild,
    noteChannel(data) {
      const found = channelSchema.safeParse(data).data
      if (found) keep(found)
    },
    forget(data) {
      const found = channelSchema.pick({ id: true }).safeParse(data).data
      if (found) channels.delete(found.id)
    },
    botRole: (guildId) => guilds.get(guildId)?.botRoleId,
    list: () =>
      [...channels.values()].flatMap(({ id, name, type, guild_id: guildId }) => {
        const guild = guilds.get(guildId ?? '')?.name
        const isText = type === channelType.text || type === channelType.news
        return isText && name && guild !== undefined ? [{ id, name, type: 'channel', guild }] : []
      }),
    async find(channelId, signal) {
      const channel = await channelOf(channelId, signal)
      const { guild_id: guildId } = channel
      if (guildId === null || guildId === undefined) return directPlace(channelId)
      const name = await guildName(guildId, signal)
      if (!isThread(channel)) {
        const topic = channel.topic ?? undefined
        return {
          chatId: channelId,
          chatType: 'group',
          chatName: `${name} / #${channel.name ?? channelId}`,
          ...(topic && { chatTopic: topic }),
          guildId,
        }
      }
      const parent = channel.parent_id ? await channelOf(channel.parent_id, signal) : undefined
      const isForum = parent?.type === channelType.forum || parent?.type === channelType.media
      const above = parent ? ` / ${isForum ? '' : '#'}${parent.name ?? parent.id}` : ''
      return {
        chatId: channelId,
        chatType: 'thread',
        threadId: channelId,
        chatName: `${name}${above} / ${channel.name ?? channelId}`,
        ...(isForum && parent?.topic && { chatTopic: parent.topic }),
        guildId,
        ...(parent && { parentId: parent.id }),
      }
    },
  }
}

export function directPlace(channelId: string): Place {
  return { chatId: channelId, chatType: 'dm' }
}

/** The channel to send to: a thread is one of its own. */
export function channelIdOf({ chatId, threadId }: ChatRef): string {
  return threadId === undefined || threadId === '' ? chatId : threadId
}

export function chatOfPlace({ chatId, chatType, threadId }: Place): ChatRef {
  return { platform: 'discord', chatId, chatType, ...(threadId !== undefined && { threadId }) }
}

function isThread({ type }: DiscordChannel): boolean {
  return type === channelType.newsThread || type === channelType.thread || type === channelType.privateThread
}

function trim(map: Map<string, unknown>, most: number): void {
  if (map.size < most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
