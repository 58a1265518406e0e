import { readBlocks } from './blocks.ts'
import { findChannel, findOpenChannel, messageObject, SlackRefusal, textOf } from './world.ts'
import type { Fields, SlackMessage, SlackTeam, SlackWorld } from './world.ts'

export interface MethodCall {
  readonly world: SlackWorld
  readonly team: SlackTeam
  readonly params: Fields
  /** Where the service is. */
  readonly url: string
}

export type Method = (call: MethodCall) => Fields

const maxText = 40_000
const maxEdit = 4_000

/** Methods of a workspace's token by name; the app's own one is the server's. */
export const methods: Readonly<Record<string, Method>> = {
  'auth.test': ({ team, url }) => ({
    url,
    team: team.name,
    team_id: team.id,
    user: 'hermes',
    user_id: team.botUserId,
    bot_id: team.botId,
  }),
  'chat.postMessage'({ world, team, params }) {
    // A person's id stands for the direct channel with them; here there is one of those.
    const place = world.users.has(textOf(params['channel'])) ? 'D1' : params['channel']
    const channel = findOpenChannel(world, team, place)
    const text = textOf(params['text'])
    const blocks = readBlocks(params['blocks'])
    if (text === '' && blocks.length === 0) throw new SlackRefusal('no_text')
    const threadTs = textOf(params['thread_ts'])
    if (threadTs !== '' && !isThere(world, channel.id, threadTs)) throw new SlackRefusal('thread_not_found')
    const message: SlackMessage = {
      ts: world.nextTs(),
      channel: channel.id,
      teamId: team.id,
      isBroadcast: String(params['reply_broadcast']) === 'true',
      user: team.botUserId,
      botId: team.botId,
      // Longer texts are cut without being refused.
      text: text.slice(0, maxText),
      blocks,
      earlier: [],
      reactions: new Set(),
      isDeleted: false,
      ...(threadTs !== '' && { threadTs }),
    }
    world.messages.push(message)
    return { channel: channel.id, ts: message.ts, message: messageObject(message) }
  },
  'chat.update'({ world, team, params }) {
    const message = findOwn({ world, team, params }, 'cant_update_message')
    const text = textOf(params['text'])
    if (text.length > maxEdit) throw new SlackRefusal('msg_too_long')
    const blocks = params['blocks'] === undefined ? message.blocks : readBlocks(params['blocks'])
    if (text === '' && blocks.length === 0) throw new SlackRefusal('no_text')
    message.earlier.push(message.text)
    Object.assign(message, { text, blocks })
    return { channel: message.channel, ts: message.ts, text }
  },
  'chat.delete'({ world, team, params }) {
    const message = findOwn({ world, team, params }, 'cant_delete_message')
    message.isDeleted = true
    return { channel: message.channel, ts: message.ts }
  },
  'chat.postEphemeral'({ world, team, params }) {
    const channel = findOpenChannel(world, team, params['channel'])
    world.ephemerals.push({ channel: channel.id, user: textOf(params['user']), text: textOf(params['text']) })
    return { message_ts: world.nextTs() }
  },
  'reactions.add': (call) => react(call, true),
  'reactions.remove': (call) => react(call, false),
  'users.info'({ world, params }) {
    const id = textOf(params['user'])
    const name = world.users.get(id)
    if (name === undefined) throw new SlackRefusal('user_not_found')
    return { user: { id, name: name.toLowerCase(), profile: { display_name: name, real_name: `${name} Real` } } }
  },
  'users.conversations'({ world, team, params }) {
    const own = [...world.channels.values()].filter(
      ({ teamId, type, hasBot, isArchived }) => teamId === team.id && type === 'channel' && hasBot && !isArchived,
    )
    const from = Number(params['cursor'] ?? 0)
    const limit = Number(params['limit'] ?? 100)
    const shown = own.slice(from, from + limit)
    const next = from + limit < own.length ? String(from + limit) : ''
    return { channels: shown.map(({ id, name }) => ({ id, name })), response_metadata: { next_cursor: next } }
  },
  'conversations.info'({ world, team, params }) {
    const { id, name, type } = findChannel(world, team, params['channel'])
    return { channel: { id, name, is_im: type === 'im', is_mpim: type === 'mpim', is_channel: type === 'channel' } }
  },
  'conversations.replies'({ world, team, params }) {
    const channel = findOpenChannel(world, team, params['channel'])
    const root = textOf(params['ts'])
    const found = world.messages.filter(
      ({ channel: id, ts, threadTs, isDeleted }) =>
        id === channel.id && !isDeleted && (ts === root || threadTs === root),
    )
    if (found.length === 0) throw new SlackRefusal('thread_not_found')
    const limit = Number(params['limit'] ?? 1_000)
    return { messages: found.slice(0, limit).map(messageObject), has_more: found.length > limit }
  },
  'files.info'({ world, params, url }) {
    const file = world.files.get(textOf(params['file']))
    if (!file) throw new SlackRefusal('file_not_found')
    return { file: fileObject(file, url) }
  },
  'files.getUploadURLExternal'({ world, params, url }) {
    const [name, length] = [textOf(params['filename']), Number(params['length'])]
    if (name === '' || !(length > 0)) throw new SlackRefusal('invalid_arguments')
    const id = `F${world.files.size + 1}`
    world.files.set(id, { id, name, mimetype: 'application/octet-stream', bytes: Buffer.alloc(0), shares: [] })
    return { upload_url: `${url}/upload/${id}?length=${length}`, file_id: id }
  },
  'files.completeUploadExternal'({ world, team, params, url }) {
    const listed = JSON.parse(textOf(params['files']) || '[]') as readonly { readonly id: string }[]
    const channel = findOpenChannel(world, team, params['channel_id'])
    const threadTs = textOf(params['thread_ts'])
    const comment = textOf(params['initial_comment'])
    return {
      files: listed.map(({ id }) => {
        const file = world.files.get(id)
        if (!file || file.bytes.length === 0) throw new SlackRefusal('file_not_found')
        file.shares.push({
          channel: channel.id,
          ...(threadTs !== '' && { threadTs }),
          ...(comment !== '' && { comment }),
        })
        return fileObject(file, url)
      }),
    }
  },
  'assistant.threads.setStatus'({ world, team, params }) {
    const channel = findOpenChannel(world, team, params['channel_id'])
    const threadTs = textOf(params['thread_ts'])
    if (threadTs === '') throw new SlackRefusal('invalid_arguments')
    world.statuses.push({ channel: channel.id, threadTs, status: textOf(params['status']) })
    return {}
  },
}

/** A file as events and methods tell of it. */
export function fileObject(
  { id, name, mimetype, bytes }: { id: string; name: string; mimetype: string; bytes: Buffer },
  url: string,
): Fields {
  const address = `${url}/files-pri/${id}/${encodeURIComponent(name)}`
  return { id, name, mimetype, size: bytes.length, mode: 'hosted', url_private: address, url_private_download: address }
}

function react({ world, team, params }: MethodCall, isAdded: boolean): Fields {
  const channel = findOpenChannel(world, team, params['channel'])
  const [ts, name] = [textOf(params['timestamp']), textOf(params['name'])]
  const message = world.messages.find((one) => one.channel === channel.id && one.ts === ts && !one.isDeleted)
  if (!message) throw new SlackRefusal('message_not_found')
  if (isAdded === message.reactions.has(name)) throw new SlackRefusal(isAdded ? 'already_reacted' : 'no_reaction')
  if (isAdded) message.reactions.add(name)
  else message.reactions.delete(name)
  world.reactions.push({ ts, name, isAdded })
  return {}
}

function findOwn({ world, team, params }: Omit<MethodCall, 'url'>, refusal: string): SlackMessage {
  const channel = findOpenChannel(world, team, params['channel'])
  const ts = textOf(params['ts'])
  const found = world.messages.find((one) => one.channel === channel.id && one.ts === ts && !one.isDeleted)
  if (!found) throw new SlackRefusal('message_not_found')
  if (found.user !== team.botUserId) throw new SlackRefusal(refusal)
  return found
}

function isThere(world: SlackWorld, channel: string, ts: string): boolean {
  return world.messages.some((one) => one.channel === channel && one.ts === ts && !one.isDeleted)
}
