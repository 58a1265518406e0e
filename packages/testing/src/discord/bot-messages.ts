import { badField, channelTypes, DiscordRefusal, snowflake, textOf } from './world.ts'
import type { BotMessage, DiscordButton, DiscordChannel, DiscordFile, DiscordWorld, Fields } from './world.ts'

// What bots may send: https://discord.com/developers/docs/resources/message#create-message

const maxContent = 2_000
const voiceFlag = 8_192

export function findChannel(world: DiscordWorld, id: string): DiscordChannel {
  const channel = world.channels.get(id)
  if (!channel) throw new DiscordRefusal(404, 10_003, 'Unknown Channel')
  return channel
}

export function findOwn(world: DiscordWorld, channelId: string, id: string): BotMessage {
  findChannel(world, channelId)
  const found = world.messages.find((one) => one.id === id && one.channelId === channelId && !one.isDeleted)
  if (found) return found
  if (world.written.some((one) => one['id'] === id && one['channel_id'] === channelId)) {
    throw new DiscordRefusal(403, 50_005, 'Cannot edit a message authored by another user')
  }
  throw new DiscordRefusal(404, 10_008, 'Unknown Message')
}

export interface NewMessage {
  readonly channelId: string
  readonly body: Fields
  readonly files: readonly DiscordFile[]
}

/** Keeps a message of the bot. `isNew` is false where its nonce is known: then it is the one of before. */
export function addMessage(
  world: DiscordWorld,
  { channelId, body, files }: NewMessage,
): { readonly message: BotMessage; readonly isNew: boolean } {
  const channel = findChannel(world, channelId)
  if (channel.type === channelTypes.forum)
    throw new DiscordRefusal(400, 50_008, 'Cannot send messages in a non-text channel')
  if (world.blocked.has(channelId)) throw new DiscordRefusal(403, 50_007, 'Cannot send messages to this user')
  if (channel.isLocked) throw new DiscordRefusal(403, 160_005, 'Thread is locked')
  const content = readContent(body)
  const isVoice = (Number(body['flags'] ?? 0) & voiceFlag) !== 0
  if (isVoice) checkVoice(body, files, content)
  else if (content === '' && files.length === 0) throw new DiscordRefusal(400, 50_006, 'Cannot send an empty message')
  if (files.some(({ bytes }) => bytes.length > world.maxUploadBytes)) {
    throw new DiscordRefusal(413, 40_005, 'Request entity too large')
  }
  const nonce = readNonce(body)
  if (nonce !== undefined && body['enforce_nonce'] === true) {
    const before = world.messages.find((one) => one.nonce === nonce)
    if (before) return { message: before, isNew: false }
  }
  const replyTo = readReference(world, channelId, body)
  // Who writes into a thread opens it again.
  channel.isArchived = false
  const message: BotMessage = {
    id: snowflake(),
    channelId,
    body,
    content,
    files,
    buttons: readButtons(body),
    earlier: [],
    isDeleted: false,
    ...(replyTo !== undefined && { replyTo }),
    ...(nonce !== undefined && { nonce }),
  }
  world.messages.push(message)
  return { message, isNew: true }
}

export function editMessage(message: BotMessage, body: Fields): void {
  if (body['content'] !== undefined) {
    const content = readContent(body)
    if (content === '' && message.files.length === 0)
      throw new DiscordRefusal(400, 50_006, 'Cannot send an empty message')
    message.earlier.push(message.content)
    message.content = content
  }
  if (body['components'] !== undefined) message.buttons = readButtons(body)
}

function readContent(body: Fields): string {
  const content = textOf(body['content'])
  if (Array.from(content).length > maxContent) {
    throw badField('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.')
  }
  return content.trim()
}

function readNonce(body: Fields): string | undefined {
  const nonce = body['nonce']
  if (nonce === undefined || nonce === null) return undefined
  const text = textOf(nonce)
  if (text.length > 25) throw badField('nonce', 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.')
  return text
}

function checkVoice(body: Fields, files: readonly DiscordFile[], content: string): void {
  const [about] = (body['attachments'] as readonly Fields[] | undefined) ?? []
  const isWhole = files.length === 1 && content === '' && Number(about?.['duration_secs']) > 0
  if (!isWhole || Buffer.from(textOf(about?.['waveform']), 'base64').length === 0) {
    throw new DiscordRefusal(400, 50_161, 'Voice messages must have supporting metadata.')
  }
}

function readReference(world: DiscordWorld, channelId: string, body: Fields): string | undefined {
  const reference = body['message_reference'] as Fields | undefined
  if (!reference) return undefined
  const id = String(reference['message_id'])
  const written = world.written.find((one) => one['id'] === id && one['channel_id'] === channelId)
  if (written && ![0, 19, 20].includes(Number(written['type']))) {
    throw badField('message_reference', 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE', 'Cannot reply to a system message')
  }
  const isThere =
    written ?? world.messages.some((one) => one.id === id && one.channelId === channelId && !one.isDeleted)
  if (isThere) return id
  if (reference['fail_if_not_exists'] === false) return undefined
  throw badField('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message')
}

/** Five rows of five: https://discord.com/developers/docs/components/reference */
function readButtons(body: Fields): readonly DiscordButton[] {
  const rows = (body['components'] as readonly { readonly components?: readonly Fields[] }[] | undefined) ?? []
  if (rows.length > 5) throw badField('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.')
  return rows.flatMap(({ components = [] }) => {
    if (components.length < 1 || components.length > 5) {
      throw badField('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.')
    }
    return components.map((button) => {
      const [label, data] = [textOf(button['label']), textOf(button['custom_id'])]
      if (label.length < 1 || label.length > 80) {
        throw badField('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.')
      }
      if (data.length < 1 || data.length > 100) {
        throw badField('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.')
      }
      return { label, custom_id: data }
    })
  })
}
