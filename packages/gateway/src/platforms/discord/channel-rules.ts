import type { DiscordMessage, DiscordUser } from './payloads.ts'
import type { Place } from './places.ts'
import type { ChannelRules } from './settings.ts'

/** Messages that people write, and replies: https://discord.com/developers/docs/resources/message#message-object-message-types */
const written: ReadonlySet<number> = new Set([0, 19])

export interface Bystander {
  readonly me: Pick<DiscordUser, 'id'>
  readonly rules: ChannelRules
  /** The role that means the bot in the message's guild. */
  readonly botRole: string | undefined
  /** Whether the agent takes part in a thread. */
  readonly hasJoined: (threadId: string) => boolean
}

/** Whether a message is one that the agent may answer, wherever it is written: not its own, no notice of the service's. */
export function isHeard(message: DiscordMessage, { me, rules, botRole }: Bystander): boolean {
  const { author, type } = message
  if (author.id === me.id || !written.has(type)) return false
  const isOurs = isAddressed(message, me, botRole)
  if (author.bot && rules.allowBots !== 'all' && !(rules.allowBots === 'mentions' && isOurs)) return false
  if (isDirect(message) || isOurs || message.mentions.length === 0) return true
  const areBots = message.mentions.some(({ bot }) => bot)
  return !areBots && !rules.ignoresOthersMentions
}

/** Whether a message of a guild is for the agent, by its place. */
export function isMeantHere(message: DiscordMessage, place: Place, bystander: Bystander): boolean {
  const { rules, hasJoined, me, botRole } = bystander
  if (!isOpenHere(place, rules)) return false
  if (!rules.requireMention || isIn(rules.freeChannels, place)) return true
  return (place.threadId !== undefined && hasJoined(place.threadId)) || isAddressed(message, me, botRole)
}

/** Whether the settings let the agent speak in a place of a guild. What is ignored goes before what is allowed. */
export function isOpenHere(place: Place, { allowedChannels, ignoredChannels }: ChannelRules): boolean {
  return (allowedChannels.size === 0 || isIn(allowedChannels, place)) && !isIn(ignoredChannels, place)
}

/** Whether an answer to a channel's message gets a thread of its own. */
export function isThreaded(place: Place, { autoThread, noThreadChannels }: ChannelRules): boolean {
  return autoThread && place.chatType === 'group' && !isIn(noThreadChannels, place)
}

/** Lists name channels; threads are of their channel's or forum's kind. `*` is every one. */
function isIn(list: ReadonlySet<string>, { chatId, parentId }: Place): boolean {
  return list.has('*') || list.has(chatId) || (parentId !== undefined && list.has(parentId))
}

/** Whether it names the agent, its role, or answers to it. */
function isAddressed(message: DiscordMessage, me: Pick<DiscordUser, 'id'>, botRole: string | undefined): boolean {
  return (
    message.mentions.some(({ id }) => id === me.id) ||
    (botRole !== undefined && message.mention_roles.includes(botRole)) ||
    message.referenced_message?.author?.id === me.id
  )
}

export function isDirect({ guild_id: guildId }: Pick<DiscordMessage, 'guild_id'>): boolean {
  return guildId === null || guildId === undefined
}

/** The entry of the allow-list that means a person otherwise than by their bare id. Names that are not unique do not. */
export function listedAs(
  { id, username, discriminator }: DiscordUser,
  roles: readonly string[],
  allowed: readonly string[],
): string | undefined {
  // Digits alone are an id, and anybody may call themselves so.
  const name = (discriminator ?? '0') === '0' && /\D/.test(username) ? username.toLowerCase() : undefined
  const forms = new Set([`<@${id}>`, `<@!${id}>`, `user:${id}`])
  for (const role of roles) for (const form of [`<@&${role}>`, `role:${role}`]) forms.add(form)
  return allowed.find(
    (entry) => forms.has(entry) || (name !== undefined && entry.replace(/^@/, '').toLowerCase() === name),
  )
}
