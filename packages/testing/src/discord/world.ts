export type Fields = Readonly<Record<string, unknown>>

/** Kinds of channels: https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
export const channelTypes = { text: 0, dm: 1, publicThread: 11, forum: 15 } as const

export interface DiscordFile {
  readonly name: string
  readonly bytes: Buffer
}

export interface DiscordUser {
  readonly id: string
  readonly username: string
  readonly global_name: string | null
  readonly bot?: boolean
}

export interface DiscordChannel {
  readonly id: string
  readonly type: number
  readonly guildId?: string
  readonly parentId?: string
  name: string
  topic?: string
  isArchived?: boolean
  isLocked?: boolean
}

export interface DiscordButton {
  readonly label: string
  readonly custom_id: string
}

/** A message of the bot as people see it now. */
export interface BotMessage {
  readonly id: string
  readonly channelId: string
  readonly body: Fields
  content: string
  readonly files: readonly DiscordFile[]
  readonly replyTo?: string
  readonly nonce?: string
  buttons: readonly DiscordButton[]
  /** Contents that it had before. */
  readonly earlier: string[]
  isDeleted: boolean
}

/** What the bot made of a command or a press. */
export interface InteractionAnswer {
  readonly id: string
  /** Kind of the first answer: 4 a message, 5 one that comes later, 6 nothing yet. */
  readonly type: number
  readonly isEphemeral: boolean
  content: string
  isDeleted: boolean
}

export interface Reaction {
  readonly channelId: string
  readonly messageId: string
  readonly emoji: string
  readonly act: 'add' | 'remove'
}

/** The service said no. */
export class DiscordRefusal extends Error {
  override readonly name = 'DiscordRefusal'
  readonly status: number
  readonly code: number
  readonly errors: Fields | undefined

  constructor(status: number, code: number, message: string, errors?: Fields) {
    super(message)
    this.status = status
    this.code = code
    this.errors = errors
  }
}

/** A text or number of a body; anything else is empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** A field of a body that breaks its rules, in the service's form. */
export function badField(path: string, code: string, message: string): DiscordRefusal {
  return new DiscordRefusal(400, 50_035, 'Invalid Form Body', { [path]: { _errors: [{ code, message }] } })
}

/** Everything that the service knows. */
export interface DiscordWorld {
  readonly me: DiscordUser
  readonly applicationId: string
  readonly guild: { readonly id: string; readonly name: string; readonly botRoleId: string }
  readonly users: Map<string, DiscordUser>
  /** Roles of people, by their id. */
  readonly roles: Map<string, readonly string[]>
  readonly channels: Map<string, DiscordChannel>
  readonly messages: BotMessage[]
  /** Messages of people in the service's form, oldest first. */
  readonly written: Fields[]
  readonly files: Map<string, DiscordFile>
  readonly reactions: Reaction[]
  /** Channels in which typing was shown. */
  readonly typing: string[]
  commands: readonly Fields[]
  /** How often the commands were set. */
  commandWrites: number
  readonly interactions: Map<string, { readonly token: string; readonly at: number }>
  readonly answers: InteractionAnswer[]
  /** People who take no direct messages of the bot, by their channel. */
  readonly blocked: Set<string>
  /** Channels in which the bot may make no threads. */
  readonly threadless: Set<string>
  /** Largest upload, bytes. */
  readonly maxUploadBytes: number
}

const epoch = 1_420_070_400_000
let lastId = 0n

/** A new id: later ones are greater. https://discord.com/developers/docs/reference#snowflakes */
export function snowflake(at = Date.now()): string {
  const id = BigInt(at - epoch) << 22n
  lastId = id > lastId ? id : lastId + 1n
  return String(lastId)
}

export const ids = {
  me: '900000000000000001',
  application: '910000000000000001',
  guild: '800000000000000001',
  general: '700000000000000001',
  other: '700000000000000002',
  forum: '700000000000000003',
  dm: '600000000000000007',
  ann: '500000000000000007',
  bob: '500000000000000008',
  otherBot: '500000000000000009',
} as const

/** One guild with two channels and a forum, two people and a bot, and a direct chat with Ann. */
export function createWorld(): DiscordWorld {
  const users: readonly DiscordUser[] = [
    { id: ids.ann, username: 'ann', global_name: 'Ann' },
    { id: ids.bob, username: 'bob.b', global_name: null },
    { id: ids.otherBot, username: 'other', global_name: null, bot: true },
  ]
  const inGuild = { guildId: ids.guild }
  const channels: readonly DiscordChannel[] = [
    { id: ids.general, type: channelTypes.text, name: 'general', topic: 'All things', ...inGuild },
    { id: ids.other, type: channelTypes.text, name: 'other', ...inGuild },
    { id: ids.forum, type: channelTypes.forum, name: 'questions', topic: 'Ask here', ...inGuild },
    { id: ids.dm, type: channelTypes.dm, name: '' },
  ]
  return {
    me: { id: ids.me, username: 'hermes', global_name: null, bot: true },
    applicationId: ids.application,
    guild: { id: ids.guild, name: 'Lab', botRoleId: '810000000000000002' },
    users: new Map(users.map((user) => [user.id, user])),
    roles: new Map(),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    messages: [],
    written: [],
    files: new Map(),
    reactions: [],
    typing: [],
    commands: [],
    commandWrites: 0,
    interactions: new Map(),
    answers: [],
    blocked: new Set(),
    threadless: new Set(),
    maxUploadBytes: 10 * 1024 * 1024,
  }
}
