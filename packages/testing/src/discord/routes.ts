import { addMessage, editMessage, findChannel, findOwn } from './bot-messages.ts'
import { botMessage, channelObject, guildObject, userObject } from './objects.ts'
import { badField, channelTypes, DiscordRefusal, snowflake, textOf } from './world.ts'
import type { DiscordChannel, DiscordFile, DiscordWorld, Fields } from './world.ts'

/** A call of a route. */
export interface RouteCall {
  readonly world: DiscordWorld
  /** Parts of the path that the pattern names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Fields
  readonly files: readonly DiscordFile[]
  /** Tells the bot of an event. */
  readonly dispatch: (type: string, data: Fields) => void
  readonly gatewayUrl: string
}

export interface Route {
  readonly method: string
  /** `:name` is one part of the path. */
  readonly path: string
  /** Which bucket it counts in. */
  readonly bucket: string
  /** What is answered; undefined: nothing (204). */
  run(call: RouteCall): unknown
}

/** Interactions must be answered within this, ms: 3,000 with the service itself, but the machine of a test may be busy. */
const answerMs = 15_000

const part = (params: RouteCall['params'], name: string) => params[name] ?? ''

/** Routes by https://discord.com/developers/docs/reference */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/gateway', bucket: 'other', run: ({ gatewayUrl }) => ({ url: gatewayUrl }) },
  {
    method: 'GET',
    path: '/gateway/bot',
    bucket: 'other',
    run: ({ gatewayUrl }) => ({
      url: gatewayUrl,
      shards: 1,
      session_start_limit: { total: 1_000, remaining: 999, reset_after: 60_000, max_concurrency: 1 },
    }),
  },
  { method: 'GET', path: '/users/@me', bucket: 'other', run: ({ world }) => userObject(world.me) },
  {
    method: 'POST',
    path: '/users/@me/channels',
    bucket: 'other',
    run({ world }) {
      const dm = [...world.channels.values()].find(({ type }) => type === channelTypes.dm)
      return dm && channelObject(world, dm)
    },
  },
  { method: 'GET', path: '/guilds/:guild', bucket: 'other', run: ({ world }) => guildObject(world) },
  {
    method: 'GET',
    path: '/channels/:channel',
    bucket: 'other',
    run: ({ world, params }) => channelObject(world, findChannel(world, part(params, 'channel'))),
  },
  {
    method: 'GET',
    path: '/channels/:channel/messages',
    bucket: 'other',
    run({ world, params, query }) {
      const { id } = findChannel(world, part(params, 'channel'))
      const after = BigInt(query.get('after') ?? 0)
      const own = world.messages.filter(({ channelId, isDeleted }) => channelId === id && !isDeleted)
      const all = [
        ...world.written.filter((one) => one['channel_id'] === id),
        ...own.map((one) => botMessage(world, one)),
      ]
      return (
        all
          .filter((one) => BigInt(String(one['id'])) > after)
          .slice(0, Number(query.get('limit') ?? 50))
          // The newest come first, and neither guild nor member nor kind of channel is named.
          .toReversed()
          .map(({ guild_id: _guild, member: _member, channel_type: _type, ...message }) => message)
      )
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/messages',
    bucket: 'messages',
    run({ world, params, body, files, dispatch }) {
      const { message, isNew } = addMessage(world, { channelId: part(params, 'channel'), body, files })
      const made = botMessage(world, message)
      const { guildId, type } = findChannel(world, message.channelId)
      if (isNew)
        dispatch('MESSAGE_CREATE', { ...made, channel_type: type, ...(guildId !== undefined && { guild_id: guildId }) })
      return made
    },
  },
  {
    method: 'PATCH',
    path: '/channels/:channel/messages/:message',
    bucket: 'edits',
    run({ world, params, body }) {
      const message = findOwn(world, part(params, 'channel'), part(params, 'message'))
      editMessage(message, body)
      return botMessage(world, message)
    },
  },
  {
    method: 'DELETE',
    path: '/channels/:channel/messages/:message',
    bucket: 'edits',
    run({ world, params }) {
      findOwn(world, part(params, 'channel'), part(params, 'message')).isDeleted = true
    },
  },
  ...(['PUT', 'DELETE'] as const).map((method): Route => ({
    method,
    path: '/channels/:channel/messages/:message/reactions/:emoji/@me',
    bucket: 'reactions',
    run({ world, params }) {
      const { id: channelId } = findChannel(world, part(params, 'channel'))
      const messageId = part(params, 'message')
      const isThere = [
        ...world.written,
        ...world.messages.map((one) => ({ id: one.id, channel_id: one.channelId })),
      ].some((one) => one['id'] === messageId && one['channel_id'] === channelId)
      if (!isThere) throw new DiscordRefusal(404, 10_008, 'Unknown Message')
      const act = method === 'PUT' ? 'add' : 'remove'
      world.reactions.push({ channelId, messageId, emoji: part(params, 'emoji'), act })
    },
  })),
  {
    method: 'POST',
    path: '/channels/:channel/typing',
    bucket: 'typing',
    run({ world, params }) {
      world.typing.push(findChannel(world, part(params, 'channel')).id)
    },
  },
  {
    method: 'POST',
    path: '/channels/:channel/messages/:message/threads',
    bucket: 'other',
    run: (call) => startThread(call, part(call.params, 'message')),
  },
  { method: 'POST', path: '/channels/:channel/threads', bucket: 'other', run: (call) => startThread(call, undefined) },
  {
    method: 'GET',
    path: '/applications/:application/commands',
    bucket: 'other',
    run: ({ world }) => world.commands,
  },
  {
    method: 'PUT',
    path: '/applications/:application/commands',
    bucket: 'other',
    run({ world, params, body }) {
      if (part(params, 'application') !== world.applicationId)
        throw new DiscordRefusal(404, 10_002, 'Unknown Application')
      world.commands = readCommands(body as unknown as readonly Fields[])
      world.commandWrites++
      return world.commands
    },
  },
  { method: 'POST', path: '/interactions/:id/:token/callback', bucket: 'none', run: (call) => answerInteraction(call) },
  {
    method: 'POST',
    path: '/webhooks/:application/:token',
    bucket: 'none',
    run({ world, params, body }) {
      const id = interactionOf(world, part(params, 'token'))
      world.answers.push({
        id,
        type: 4,
        isEphemeral: isEphemeral(body),
        content: textOf(body['content']),
        isDeleted: false,
      })
      return { id: snowflake(), channel_id: '0' }
    },
  },
  {
    method: 'PATCH',
    path: '/webhooks/:application/:token/messages/@original',
    bucket: 'none',
    run({ world, params, body }) {
      originalOf(world, part(params, 'token')).content = textOf(body['content'])
      return {}
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:application/:token/messages/@original',
    bucket: 'none',
    run({ world, params }) {
      originalOf(world, part(params, 'token')).isDeleted = true
    },
  },
]

/** A thread that starts at a message has the message's id. */
function startThread({ world, params, body, dispatch }: RouteCall, messageId: string | undefined): unknown {
  const parent = findChannel(world, part(params, 'channel'))
  if (world.threadless.has(parent.id)) throw new DiscordRefusal(403, 50_013, 'Missing Permissions')
  if (parent.guildId === undefined || parent.type !== channelTypes.text) {
    throw new DiscordRefusal(400, 50_024, 'Cannot execute action on this channel type')
  }
  const name = textOf(body['name'])
  if (name.length < 1 || name.length > 100) {
    throw badField('name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.')
  }
  if (messageId !== undefined && world.channels.has(messageId)) {
    throw new DiscordRefusal(400, 160_004, 'A thread has already been created for this message')
  }
  const thread: DiscordChannel = {
    id: messageId ?? snowflake(),
    type: channelTypes.publicThread,
    guildId: parent.guildId,
    parentId: parent.id,
    name,
  }
  world.channels.set(thread.id, thread)
  dispatch('THREAD_CREATE', { ...channelObject(world, thread), newly_created: true })
  return channelObject(world, thread)
}

/** Names and numbers of commands: https://discord.com/developers/docs/interactions/application-commands */
function readCommands(commands: readonly Fields[]): readonly Fields[] {
  if (commands.length > 100)
    throw new DiscordRefusal(400, 30_032, 'Maximum number of application commands reached (100).')
  const names = new Set<unknown>()
  return commands.map((command) => {
    const { name, description } = command
    if (typeof name !== 'string' || !/^[-_\p{Ll}\p{N}]{1,32}$/u.test(name) || names.has(name)) {
      throw badField('name', 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')
    }
    names.add(name)
    if (typeof description !== 'string' || description.length < 1 || description.length > 100) {
      throw badField('description', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.')
    }
    let isFree = false
    for (const option of (command['options'] as readonly Fields[] | undefined) ?? []) {
      if (isFree && option['required'] === true) {
        throw badField('options', 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', 'Required options must come first')
      }
      isFree ||= option['required'] !== true
      const choices = (option['choices'] as readonly unknown[] | undefined) ?? []
      if (choices.length > 25) throw badField('options', 'BASE_TYPE_BAD_LENGTH', 'Must be 25 or fewer in length.')
      if (!/^[-_\p{Ll}\p{N}]{1,32}$/u.test(String(option['name'])) || String(option['description']).length > 100) {
        throw badField('options', 'APPLICATION_COMMAND_INVALID_NAME', 'Command option is invalid')
      }
    }
    return { id: snowflake(), version: snowflake(), type: 1, ...command }
  })
}

function answerInteraction({ world, params, body }: RouteCall): void {
  const id = part(params, 'id')
  const known = world.interactions.get(id)
  if (!known || known.token !== part(params, 'token') || performance.now() - known.at > answerMs) {
    throw new DiscordRefusal(404, 10_062, 'Unknown interaction')
  }
  if (world.answers.some((one) => one.id === id)) {
    throw new DiscordRefusal(400, 40_060, 'Interaction has already been acknowledged.')
  }
  const data = (body['data'] as Fields | undefined) ?? {}
  world.answers.push({
    id,
    type: Number(body['type']),
    isEphemeral: isEphemeral(data),
    content: textOf(data['content']),
    isDeleted: false,
  })
}

function isEphemeral(body: Fields): boolean {
  return (Number(body['flags'] ?? 0) & 64) !== 0
}

function interactionOf(world: DiscordWorld, token: string): string {
  const found = [...world.interactions].find(([, one]) => one.token === token)?.[0]
  if (found === undefined) throw new DiscordRefusal(404, 10_015, 'Unknown Webhook')
  return found
}

function originalOf(world: DiscordWorld, token: string) {
  const id = interactionOf(world, token)
  const original = world.answers.find((one) => one.id === id && !one.isDeleted)
  if (!original) throw new DiscordRefusal(404, 10_008, 'Unknown Message')
  return original
}
