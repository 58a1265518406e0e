import { parseMarkdownV2 } from './markdown-v2.ts'
import type { ParsedText, TelegramEntity } from './markdown-v2.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A file that was uploaded, or that people sent. */
export interface TelegramFile {
  readonly name: string
  readonly bytes: Buffer
}

/** A message of the bot as people see it now. */
export interface BotMessage {
  readonly id: number
  readonly chatId: number
  readonly threadId?: number
  text: string
  entities: readonly TelegramEntity[]
  /** `text`, or the field of its file: `photo`, `voice` … */
  readonly kind: string
  readonly file?: TelegramFile
  readonly replyTo?: number
  buttons: readonly { readonly text: string; readonly callback_data?: string }[]
  /** Texts that it had before. */
  readonly earlier: string[]
  isDeleted: boolean
}

/** The service said no. */
export class TelegramRefusal extends Error {
  override readonly name = 'TelegramRefusal'
  readonly code: number
  readonly parameters: Fields | undefined

  constructor(code: number, description: string, parameters?: Fields) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

/** Everything that the service knows. */
export interface TelegramWorld {
  readonly me: { readonly id: number; readonly is_bot: true; readonly first_name: string; readonly username: string }
  readonly messages: BotMessage[]
  readonly updates: { readonly update_id: number; readonly [kind: string]: unknown }[]
  readonly files: Map<string, TelegramFile>
  readonly commands: { readonly command: string; readonly description: string }[]
  readonly reactions: { readonly chatId: number; readonly messageId: number; readonly emoji: string }[]
  readonly callbackAnswers: { readonly id: string; readonly text: string }[]
  readonly actions: { readonly chatId: number; readonly action: string }[]
  /** Topics by chat; one that is not there is refused. Where a chat is not named, it has no topics. */
  readonly topics: Map<number, Set<number>>
  /** Chats whose people have blocked the bot. */
  readonly blocked: Set<number>
  /** Chats that are not there, and those that have another id now. */
  readonly missing: Set<number>
  readonly moved: Map<number, number>
  /** Ids of people's messages, by chat. */
  readonly written: Map<number, Set<number>>
  webhook: { readonly url: string; readonly secret: string } | undefined
  nextMessageId: number
}

export function createWorld(): TelegramWorld {
  return {
    me: { id: 4_242, is_bot: true, first_name: 'Hermes', username: 'hermes_test_bot' },
    messages: [],
    updates: [],
    files: new Map(),
    commands: [],
    reactions: [],
    callbackAnswers: [],
    actions: [],
    topics: new Map(),
    blocked: new Set(),
    missing: new Set(),
    moved: new Map(),
    written: new Map(),
    webhook: undefined,
    nextMessageId: 1,
  }
}

const maxText = 4_096
const maxCaption = 1_024

/** The text of a message after its parse mode, within the limit. */
export function readText(value: unknown, parseMode: unknown, kind: 'text' | 'caption'): ParsedText {
  const source = typeof value === 'string' ? value : ''
  let parsed: ParsedText
  if (parseMode === 'MarkdownV2') {
    try {
      parsed = parseMarkdownV2(source)
    } catch (error) {
      throw new TelegramRefusal(
        400,
        `Bad Request: can't parse entities: ${error instanceof Error ? error.message : ''}`,
      )
    }
  } else if (parseMode) throw new TelegramRefusal(400, 'Bad Request: unsupported parse_mode')
  else parsed = { text: source.trim(), entities: [] }
  const most = kind === 'text' ? maxText : maxCaption
  if (parsed.text.length > most) {
    throw new TelegramRefusal(400, `Bad Request: message ${kind === 'text' ? '' : 'caption '}is too long`)
  }
  if (kind === 'text' && parsed.text === '') throw new TelegramRefusal(400, 'Bad Request: message text is empty')
  return parsed
}

/** The chat of a call, and its topic: refuses what is not there. */
export function readChat(
  world: TelegramWorld,
  params: Fields,
): { readonly chatId: number; readonly threadId?: number } {
  const chatId = Number(params['chat_id'])
  const movedTo = world.moved.get(chatId)
  if (movedTo !== undefined) {
    throw new TelegramRefusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: movedTo,
    })
  }
  if (!Number.isSafeInteger(chatId) || chatId === 0 || world.missing.has(chatId)) {
    throw new TelegramRefusal(400, 'Bad Request: chat not found')
  }
  if (world.blocked.has(chatId)) throw new TelegramRefusal(403, 'Forbidden: bot was blocked by the user')
  const thread = params['message_thread_id']
  if (thread === undefined) return { chatId }
  const threadId = Number(thread)
  if (!world.topics.get(chatId)?.has(threadId)) {
    throw new TelegramRefusal(400, 'Bad Request: message thread not found')
  }
  return { chatId, threadId }
}

/** The message that a new one answers. */
export function readReply(world: TelegramWorld, chatId: number, params: Fields): number | undefined {
  const reply = params['reply_parameters'] as Fields | undefined
  const id = Number(reply?.['message_id'] ?? params['reply_to_message_id'] ?? Number.NaN)
  if (Number.isNaN(id)) return undefined
  const own = world.messages.some((message) => message.id === id && message.chatId === chatId && !message.isDeleted)
  if (own || world.written.get(chatId)?.has(id)) return id
  if (reply?.['allow_sending_without_reply'] === true) return undefined
  throw new TelegramRefusal(400, 'Bad Request: message to be replied not found')
}

export function readButtons(params: Fields): BotMessage['buttons'] {
  const markup = params['reply_markup'] as { inline_keyboard?: BotMessage['buttons'][] } | undefined
  const buttons = markup?.inline_keyboard?.flat() ?? []
  for (const { text, callback_data: data } of buttons) {
    if (!text) throw new TelegramRefusal(400, 'Bad Request: text buttons are unallowed in the inline keyboard')
    if (Buffer.byteLength(data ?? '') > 64) throw new TelegramRefusal(400, 'Bad Request: BUTTON_DATA_INVALID')
  }
  return buttons
}

/** A message in the form that the service gives it back. */
export function messageObject(world: TelegramWorld, message: BotMessage): Fields {
  const { id, chatId, threadId, text, entities, kind } = message
  const body = kind === 'text' ? { text, entities } : { caption: text, caption_entities: entities }
  return {
    message_id: id,
    date: Math.floor(Date.now() / 1000),
    from: world.me,
    chat: { id: chatId, type: chatId < 0 ? 'supergroup' : 'private' },
    ...(threadId !== undefined && { message_thread_id: threadId, is_topic_message: true }),
    ...body,
  }
}
