import { messageObject, readButtons, readChat, readReply, readText, TelegramRefusal } from './world.ts'
import type { BotMessage, Fields, TelegramFile, TelegramWorld } from './world.ts'

/** What a method is called with. */
export interface MethodCall {
  readonly world: TelegramWorld
  readonly params: Fields
  /** Uploaded with it, by the names that its fields refer to. */
  readonly files: ReadonlyMap<string, TelegramFile>
}

export type Method = (call: MethodCall) => unknown

/** Methods that count as messages for the limits. */
export function isMessage(method: string): boolean {
  return (method.startsWith('send') && method !== 'sendChatAction') || method === 'editMessageText'
}

const maxUploadBytes = 50 * 1024 * 1024
const maxPhotoBytes = 10 * 1024 * 1024

/** Methods by name; polling is the server's. */
export const methods: Readonly<Record<string, Method>> = {
  getMe: ({ world }) => ({
    ...world.me,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
  }),
  setWebhook({ world, params }) {
    const url = textOf(params['url'])
    world.webhook = url === '' ? undefined : { url, secret: textOf(params['secret_token']) }
    return true
  },
  deleteWebhook({ world, params }) {
    world.webhook = undefined
    if (params['drop_pending_updates'] === true) world.updates.length = 0
    return true
  },
  getWebhookInfo: ({ world }) => ({ url: world.webhook?.url ?? '', pending_update_count: world.updates.length }),
  sendMessage: (call) => add(call, 'text', readText(call.params['text'], call.params['parse_mode'], 'text')),
  sendPhoto: (call) => sendFile(call, 'photo'),
  sendDocument: (call) => sendFile(call, 'document'),
  sendVoice: (call) => sendFile(call, 'voice'),
  sendAudio: (call) => sendFile(call, 'audio'),
  sendVideo: (call) => sendFile(call, 'video'),
  sendAnimation: (call) => sendFile(call, 'animation'),
  sendMediaGroup(call) {
    const media = call.params['media'] as readonly Fields[] | undefined
    if (!media || media.length < 2 || media.length > 10) {
      throw new TelegramRefusal(400, 'Bad Request: group send failed: a group has 2 to 10 items')
    }
    return media.map((item) => {
      const kind = String(item['type'])
      const params = { ...call.params, ...item, [kind]: item['media'] }
      return sendFile({ ...call, params }, kind)
    })
  },
  editMessageText({ world, params }) {
    const message = findOwn(world, params, 'message to edit not found')
    const { text, entities } = readText(params['text'], params['parse_mode'], 'text')
    const buttons = readButtons(params)
    if (same(message, text, entities, buttons)) throw notModified()
    message.earlier.push(message.text)
    Object.assign(message, { text, entities, buttons })
    return messageObject(world, message)
  },
  editMessageReplyMarkup({ world, params }) {
    const message = findOwn(world, params, 'message to edit not found')
    const buttons = readButtons(params)
    if (same(message, message.text, message.entities, buttons)) throw notModified()
    message.buttons = buttons
    return messageObject(world, message)
  },
  deleteMessage({ world, params }) {
    findOwn(world, params, 'message to delete not found').isDeleted = true
    return true
  },
  sendChatAction({ world, params }) {
    const { chatId } = readChat(world, params)
    world.actions.push({ chatId, action: String(params['action']) })
    return true
  },
  setMessageReaction({ world, params }) {
    const { chatId } = readChat(world, params)
    const messageId = Number(params['message_id'])
    if (!world.written.get(chatId)?.has(messageId))
      throw new TelegramRefusal(400, 'Bad Request: message to react not found')
    const [reaction] = (params['reaction'] as readonly { emoji?: string }[] | undefined) ?? []
    world.reactions.push({ chatId, messageId, emoji: reaction?.emoji ?? '' })
    return true
  },
  answerCallbackQuery({ world, params }) {
    world.callbackAnswers.push({ id: String(params['callback_query_id']), text: textOf(params['text']) })
    return true
  },
  getFile({ world, params }) {
    const id = String(params['file_id'])
    const file = world.files.get(id)
    if (!file) throw new TelegramRefusal(400, 'Bad Request: invalid file_id')
    if (file.bytes.length > 20 * 1024 * 1024) throw new TelegramRefusal(400, 'Bad Request: file is too big')
    return { file_id: id, file_unique_id: id, file_size: file.bytes.length, file_path: `files/${id}/${file.name}` }
  },
  setMyCommands({ world, params }) {
    const commands = (params['commands'] as TelegramWorld['commands'] | undefined) ?? []
    const isBad = commands.some(
      ({ command, description }) =>
        !/^[a-z0-9_]{1,32}$/.test(command) || description.length < 1 || description.length > 256,
    )
    if (isBad || commands.length > 100) throw new TelegramRefusal(400, 'Bad Request: BOT_COMMAND_INVALID')
    world.commands.splice(0, Infinity, ...commands)
    return true
  },
  createForumTopic({ world, params }) {
    const { chatId } = readChat(world, params)
    const topics = world.topics.get(chatId) ?? new Set()
    world.topics.set(chatId, topics)
    const id = world.nextMessageId++
    topics.add(id)
    return { message_thread_id: id, name: String(params['name']), icon_color: 7_322_096 }
  },
}

function sendFile(call: MethodCall, kind: string): Fields {
  const { params, files } = call
  const value = textOf(params[kind])
  const file = files.get(value.replace(/^attach:\/\//, ''))
  if (!file) throw new TelegramRefusal(400, 'Bad Request: wrong file identifier/HTTP URL specified')
  if (file.bytes.length === 0) throw new TelegramRefusal(400, 'Bad Request: file must be non-empty')
  if (file.bytes.length > maxUploadBytes) throw new TelegramRefusal(413, 'Request Entity Too Large')
  if (kind === 'photo' && file.bytes.length > maxPhotoBytes)
    throw new TelegramRefusal(400, 'Bad Request: PHOTO_SAVE_FILE_INVALID')
  const isImage = /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF)/.test(file.bytes.toString('latin1', 0, 8))
  if (kind === 'photo' && !isImage) throw new TelegramRefusal(400, 'Bad Request: IMAGE_PROCESS_FAILED')
  return add(call, kind, readText(params['caption'], params['parse_mode'], 'caption'), file)
}

function add(
  { world, params }: MethodCall,
  kind: string,
  { text, entities }: Pick<BotMessage, 'text' | 'entities'>,
  file?: TelegramFile,
): Fields {
  const place = readChat(world, params)
  const replyTo = readReply(world, place.chatId, params)
  const message: BotMessage = {
    ...place,
    id: world.nextMessageId++,
    text,
    entities,
    kind,
    buttons: readButtons(params),
    earlier: [],
    isDeleted: false,
    ...(file && { file }),
    ...(replyTo !== undefined && { replyTo }),
  }
  world.messages.push(message)
  return messageObject(world, message)
}

function findOwn(world: TelegramWorld, params: Fields, missing: string): BotMessage {
  const { chatId } = readChat(world, params)
  const id = Number(params['message_id'])
  const found = world.messages.find((message) => message.id === id && message.chatId === chatId && !message.isDeleted)
  if (found) return found
  if (world.written.get(chatId)?.has(id)) throw new TelegramRefusal(400, "Bad Request: message can't be edited")
  throw new TelegramRefusal(400, `Bad Request: ${missing}`)
}

function same(message: BotMessage, text: string, entities: unknown, buttons: unknown): boolean {
  return JSON.stringify([message.text, message.entities, message.buttons]) === JSON.stringify([text, entities, buttons])
}

function notModified(): TelegramRefusal {
  return new TelegramRefusal(
    400,
    'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
