import type { CallbackQuery, Message, Update, UserFromGetMe } from 'grammy/types'
import type { ChatServices } from '../../commands/command.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { createBatches, joinOfText } from '../batches.ts'
import type { Incoming } from '../batches.ts'
import type { PlatformHost } from '../platform.ts'
import type { PlatformAccess } from '../turn-face.ts'
import { createFileFetcher } from './attachments.ts'
import type { TelegramClient } from './client.ts'
import { isForUs, threadOf } from './group-rules.ts'
import { nameOf, readMessage } from './inbound.ts'
import type { TelegramSettings } from './settings.ts'
import { createStickerReader } from './stickers.ts'
import type { Topics } from './topics.ts'

/** What is asked of Telegram. Edited messages are not: what was said first is being answered already. */
export const updateKinds = ['message', 'callback_query'] as const

/** Longest text of one message, UTF-16 units. */
const maxTextLength = 4_096

/** A text so long may be the first part of a longer one, UTF-16 units. */
const cutLength = 4_000

/** Longest answer to a press, characters. */
const maxAnswer = 200

/** What the gateway gives this platform. */
export interface TelegramHost extends PlatformHost {
  /** Without it, files of everybody are fetched. */
  readonly access?: Pick<PlatformAccess, 'isAuthorised'>
  /** Without it, stickers are not looked at. */
  readonly chats?: Pick<ChatServices, 'live'>
}

/** Hands updates to the gateway. */
export interface UpdateTaker {
  /** Resolves when the gateway has it, or it is not for us; rejects where it must come again. */
  take(update: Update): Promise<void>
  close(): void
}

export interface UpdateTakerOptions {
  readonly client: TelegramClient
  readonly settings: TelegramSettings
  readonly host: TelegramHost
  readonly me: UserFromGetMe
  readonly topics: Topics
}

export function createUpdateTaker(
  { client, settings, host, me, topics }: UpdateTakerOptions,
  signal: AbortSignal,
): UpdateTaker {
  const { timing, group } = settings
  const batches = createBatches((message) => host.receive(message), { maxLength: maxTextLength })
  const fetchFile = createFileFetcher(client, host)
  const { chats } = host
  const readSticker = chats && createStickerReader({ client, agent: () => chats.live.current })

  async function takeMessage(raw: Message): Promise<void> {
    const message = readOrLeave(() => understood(raw))
    if (!message) return
    const lane = JSON.stringify([raw.chat.id, threadOf(raw), raw.from?.id])
    // A command does not wait for the files of what was written before.
    if (raw.text?.startsWith('/')) return batches.addNow(lane, message)
    const incoming = withFile(raw, message).then((whole): Incoming => {
      const join = joinOf(raw)
      return { message: whole, ...(join && { join }) }
    })
    await batches.add(lane, incoming)
  }

  /** What can never be read must not come again for ever, and hold up what is behind it. */
  function readOrLeave<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      host.log.error({ error: String(error) }, 'what Telegram gave cannot be read, and is left')
      return undefined
    }
  }

  /** Undefined where it is not for us. */
  function understood(raw: Message): InboundMessage | undefined {
    noteTopic(raw)
    if (!isForUs(raw, me, group)) return undefined
    const message = readMessage(raw, { me, topics })
    return message.text === '' && !hasFile(raw) ? undefined : message
  }

  /** A topic says its name when it is made or changed, and its first message is what messages in it answer. */
  function noteTopic(raw: Message): void {
    const threadId = threadOf(raw)
    const named = raw.forum_topic_created ?? raw.forum_topic_edited ?? raw.reply_to_message?.forum_topic_created
    if (threadId === undefined || named?.name === undefined) return
    // What a topic was called first does not take the place of what it is called now.
    const chatId = String(raw.chat.id)
    const isNews = raw.forum_topic_created !== undefined || raw.forum_topic_edited !== undefined
    if (isNews || !topics.find(chatId, threadId)) topics.note({ chatId, threadId, name: named.name })
  }

  /** Nothing of strangers is kept. */
  async function withFile(raw: Message, message: InboundMessage): Promise<InboundMessage> {
    if (!hasFile(raw) && !raw.sticker) return message
    const isKnown = (await host.access?.isAuthorised(message.source)) ?? true
    if (!isKnown) return message
    const shown = raw.sticker && (await readSticker?.(raw.sticker, signal))
    if (shown !== undefined) return { ...message, text: `${message.text}\n[It shows: ${shown}]` }
    return fetchFile(raw, message, signal)
  }

  function joinOf({ media_group_id: album, photo, text, forward_origin: forwarded }: Message): Incoming['join'] {
    if (album !== undefined) return { key: `album:${album}`, waitMs: timing.mediaBatchMs, isLast: false }
    if (photo) return { key: 'pictures', waitMs: timing.mediaBatchMs, isLast: false }
    if (text === undefined || forwarded) return undefined
    return joinOfText(text, cutLength, timing)
  }

  async function takePress({ id, from, data, message }: CallbackQuery): Promise<void> {
    const press = readOrLeave(() =>
      data === undefined || !message
        ? undefined
        : { chat: chatOf(message), userId: String(from.id), userName: nameOf(from), data },
    )
    const text = press ? await host.press(press) : 'This button is no longer in use.'
    try {
      const answer = { callback_query_id: id, text: text.slice(0, maxAnswer).toWellFormed() }
      await client.call('answerCallbackQuery', answer, { signal })
    } catch (error) {
      // It is decided all the same; a press that is too old cannot be answered any more.
      host.log.warn({ error: String(error) }, 'a press of a button could not be answered')
    }
  }

  return {
    async take({ message, callback_query: press }) {
      if (message) await takeMessage(message)
      else if (press) await takePress(press)
    },
    close: () => batches.close(),
  }
}

function chatOf(message: NonNullable<CallbackQuery['message']>): ChatRef {
  const threadId = 'is_topic_message' in message ? threadOf(message) : undefined
  return {
    platform: 'telegram',
    chatId: String(message.chat.id),
    chatType: message.chat.type === 'private' ? 'dm' : message.chat.type === 'channel' ? 'channel' : 'group',
    ...(threadId !== undefined && { threadId }),
  }
}

function hasFile({ photo, voice, audio, video, video_note: round, animation, document }: Message): boolean {
  return [photo, voice, audio, video, round, animation, document].some((file) => file !== undefined)
}
