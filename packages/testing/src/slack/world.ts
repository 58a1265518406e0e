export type Fields = Readonly<Record<string, unknown>>

/** A file of a workspace. */
export interface SlackFile {
  readonly id: string
  readonly name: string
  readonly mimetype: string
  bytes: Buffer
  /** Where it was shared. */
  readonly shares: { readonly channel: string; readonly threadTs?: string; readonly comment?: string }[]
}

/** A message as people see it now. */
export interface SlackMessage {
  readonly ts: string
  readonly channel: string
  readonly teamId: string
  readonly threadTs?: string
  readonly isBroadcast: boolean
  /** Who wrote it; the bot's own user where the app did. */
  readonly user: string
  readonly botId?: string
  text: string
  blocks: readonly Fields[]
  /** Texts that it had before. */
  readonly earlier: string[]
  readonly reactions: Set<string>
  isDeleted: boolean
}

/** A workspace that the app is installed in. */
export interface SlackTeam {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly botUserId: string
  readonly botId: string
}

export interface SlackChannel {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly type: 'im' | 'mpim' | 'channel' | 'group'
  /** Whether the bot is in it. */
  hasBot: boolean
  isArchived: boolean
}

/** The service said no. */
export class SlackRefusal extends Error {
  override readonly name = 'SlackRefusal'
  readonly code: string
  readonly more: Fields

  constructor(code: string, more: Fields = {}) {
    super(code)
    this.code = code
    this.more = more
  }
}

/** Everything that the service knows. */
export interface SlackWorld {
  readonly teams: Map<string, SlackTeam>
  readonly channels: Map<string, SlackChannel>
  /** Names of people by id. */
  readonly users: Map<string, string>
  readonly messages: SlackMessage[]
  readonly files: Map<string, SlackFile>
  readonly ephemerals: { readonly channel: string; readonly user: string; readonly text: string }[]
  readonly statuses: { readonly channel: string; readonly threadTs: string; readonly status: string }[]
  /** Every change of a reaction, in order. */
  readonly reactions: { readonly ts: string; readonly name: string; readonly isAdded: boolean }[]
  /** A time that no message has: seconds and a counter. */
  nextTs(): string
}

export function createWorld(): SlackWorld {
  let last = 0
  const team: SlackTeam = {
    id: 'T1',
    name: 'Work',
    token: 'xoxb-made-up-token-for-tests',
    botUserId: 'UBOT',
    botId: 'BBOT',
  }
  const channel = (id: string, type: SlackChannel['type'], name: string): readonly [string, SlackChannel] => [
    id,
    { id, teamId: 'T1', name, type, hasBot: true, isArchived: false },
  ]
  return {
    teams: new Map([[team.id, team]]),
    channels: new Map([channel('D1', 'im', ''), channel('C1', 'channel', 'general'), channel('G1', 'mpim', 'mpdm-a')]),
    users: new Map([
      ['U1', 'Ann'],
      ['U2', 'Ben'],
    ]),
    messages: [],
    files: new Map(),
    ephemerals: [],
    statuses: [],
    reactions: [],
    nextTs() {
      last = Math.max(last + 100, Math.floor(Date.now() / 1000) * 1_000_000)
      const text = String(last)
      return `${text.slice(0, -6)}.${text.slice(-6)}`
    },
  }
}

/** The channel of a call: refuses one that is not there, or that this workspace's bot cannot see. */
export function findChannel(world: SlackWorld, team: SlackTeam, id: unknown): SlackChannel {
  const found = world.channels.get(String(id))
  if (!found || found.teamId !== team.id) throw new SlackRefusal('channel_not_found')
  return found
}

/** A channel where something is posted. */
export function findOpenChannel(world: SlackWorld, team: SlackTeam, id: unknown): SlackChannel {
  const found = findChannel(world, team, id)
  if (found.isArchived) throw new SlackRefusal('is_archived')
  if (!found.hasBot) throw new SlackRefusal('not_in_channel')
  return found
}

/** A message in the form that the service gives it. */
export function messageObject(message: SlackMessage): Fields {
  const { ts, threadTs, text, blocks, user, botId, teamId } = message
  return {
    type: 'message',
    ts,
    user,
    team: teamId,
    text,
    ...(blocks.length > 0 && { blocks }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(botId !== undefined && { bot_id: botId }),
  }
}

/** A parameter that is no text counts as an empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
