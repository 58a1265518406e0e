import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Button, ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { SendOptions } from '../platform.ts'
import type { Method, Parameters, TelegramClient } from './client.ts'
import { asPlatformError, refusalOf } from './errors.ts'
import { toMarkdownV2, toPlainText } from './markdown.ts'
import { UploadedFile } from './request-body.ts'

/** Limits of what bots send, bytes: https://core.telegram.org/bots/api#sending-files */
const maxFileBytes = 50 * 1024 * 1024
const maxPhotoBytes = 10 * 1024 * 1024

/** Longest caption, UTF-16 units. */
const maxCaption = 1_024

const uploadMs = 300_000

/** How a message is sent; what the service does not take of it is given up, one thing after the other. */
interface Manner {
  readonly chatId: string
  readonly threadId: number | undefined
  readonly replyTo: number | undefined
  readonly isMarkdown: boolean
}

type FilePart = Extract<OutboundPart, { type: 'file' }>

export interface SendContext {
  readonly client: TelegramClient
  readonly signal: AbortSignal
  /** As in `SendOptions`. */
  readonly again?: SendOptions['again']
}

/** Sends one part. Throws `PlatformError`. */
export async function sendPart(
  to: ChatRef,
  part: OutboundPart,
  replyTo: string | undefined,
  context: SendContext,
): Promise<SentRef> {
  if (part.type === 'file') return sendFile(to, part, replyTo, context)
  // There is nothing that a person could be shown.
  if (toPlainText(part.text).trim() === '') return { chat: to, messageId: '' }
  return deliver(to, replyTo, context, 'sendMessage', (manner) => ({
    ...placeOf(manner),
    ...textOf(part.text, manner),
    ...(part.buttons && { reply_markup: keyboardOf(part.buttons) }),
  }))
}

/** Each button in a row of its own, but for those that share one. */
function keyboardOf(buttons: readonly Button[]) {
  const rows: { readonly row: number | undefined; readonly buttons: Button[] }[] = []
  for (const button of buttons) {
    const last = rows.at(-1)
    if (last && button.row !== undefined && last.row === button.row) last.buttons.push(button)
    else rows.push({ row: button.row, buttons: [button] })
  }
  const keys = rows.map((row) => row.buttons.map(({ label, data }) => ({ text: label, callback_data: data })))
  return { inline_keyboard: keys }
}

async function sendFile(
  to: ChatRef,
  part: FilePart,
  replyTo: string | undefined,
  context: SendContext,
): Promise<SentRef> {
  const size = await stat(part.path).then(
    (found) => found.size,
    () => undefined,
  )
  if (size === undefined) throw new PlatformError('refused', `There is no file ${part.path} to send.`)
  if (size > maxFileBytes) throw new PlatformError('too-long', 'The file is larger than the 50 MB that bots can send.')
  const method = methodOf(part, size)
  try {
    return await sendAs(method, to, part, replyTo, context)
  } catch (error) {
    // A picture that Telegram cannot show can still be given as a file.
    if (method === 'sendDocument' || !(error instanceof PlatformError) || error.code !== 'refused') throw error
    await context.again?.()
    return sendAs('sendDocument', to, part, replyTo, context)
  }
}

/** Methods that send a file, and which of their parameters it is. */
const fileParameters = {
  sendPhoto: 'photo',
  sendAnimation: 'animation',
  sendVoice: 'voice',
  sendAudio: 'audio',
  sendVideo: 'video',
  sendDocument: 'document',
} as const satisfies Partial<Record<Method, string>>

type FileMethod = keyof typeof fileParameters

function methodOf({ kind, path }: FilePart, size: number): FileMethod {
  const extension = extname(path).toLowerCase()
  if (kind === 'image' && extension === '.gif') return 'sendAnimation'
  if (kind === 'image') return size <= maxPhotoBytes ? 'sendPhoto' : 'sendDocument'
  if (kind === 'voice' || kind === 'audio') return ['.ogg', '.opus'].includes(extension) ? 'sendVoice' : 'sendAudio'
  return kind === 'video' ? 'sendVideo' : 'sendDocument'
}

function sendAs(
  method: FileMethod,
  to: ChatRef,
  { path, caption }: FilePart,
  replyTo: string | undefined,
  context: SendContext,
): Promise<SentRef> {
  return deliver(to, replyTo, context, method, (manner) => ({
    ...placeOf(manner),
    ...(caption !== undefined && captionOf(caption, manner)),
    [fileParameters[method]]: new UploadedFile(path),
  }))
}

/** Gives a message of ours another text, and these buttons or none. That it says so already is no failure. */
export async function editText(
  { chat, messageId }: SentRef,
  text: string,
  { client, signal, again }: SendContext,
  buttons?: readonly Button[],
): Promise<void> {
  const target = { chat_id: chat.chatId, message_id: Number(messageId) }
  for (const isMarkdown of [true, false]) {
    try {
      const keyboard = buttons && { reply_markup: keyboardOf(buttons) }
      const edit = { ...target, ...textOf(text, { isMarkdown }), ...keyboard }
      await client.tryCall('editMessageText', edit, { signal })
      return
    } catch (error) {
      const said = refusalOf(error)?.description ?? ''
      if (/message is not modified/i.test(said)) return
      if (!isMarkdown || !/can't parse entities/i.test(said)) throw asPlatformError(error, 'editMessageText')
      await again?.()
    }
  }
}

/** Calls, and calls again without what the service refused. */
async function deliver(
  to: ChatRef,
  replyTo: string | undefined,
  { client, signal, again }: SendContext,
  method: 'sendMessage' | FileMethod,
  parametersOf: (manner: Manner) => Parameters,
): Promise<SentRef> {
  const timeoutMs = method === 'sendMessage' ? undefined : uploadMs
  let manner: Manner | undefined = {
    chatId: to.chatId,
    threadId: threadId(to),
    replyTo: replyTo === undefined || replyTo === '' ? undefined : Number(replyTo),
    isMarkdown: true,
  }
  for (;;) {
    try {
      const current: Manner = manner
      const options = { signal, ...(timeoutMs !== undefined && { timeoutMs }) }
      const sent = await client.tryCall(method, parametersOf(current), options)
      return { chat: { ...to, chatId: current.chatId }, messageId: String(sent.message_id) }
    } catch (error) {
      const next = plainer(manner, error)
      if (!next) throw asPlatformError(error, method)
      await again?.()
      manner = next
    }
  }
}

/** Another manner that may be taken where this one was refused. Each thing is given up once, so that it ends. */
function plainer(manner: Manner, error: unknown): Manner | undefined {
  const { description = '', parameters } = refusalOf(error) ?? {}
  if (manner.isMarkdown && /can't parse entities/i.test(description)) return { ...manner, isMarkdown: false }
  if (manner.threadId !== undefined && /thread not found/i.test(description)) return { ...manner, threadId: undefined }
  if (manner.replyTo !== undefined && /replied not found|reply message not found/i.test(description)) {
    return { ...manner, replyTo: undefined }
  }
  const moved = parameters?.migrate_to_chat_id
  return moved !== undefined && String(moved) !== manner.chatId ? { ...manner, chatId: String(moved) } : undefined
}

/** The general topic of a forum has an id that messages must not name. */
export function threadId({ threadId: id }: ChatRef): number | undefined {
  return id === undefined || id === '' || id === '1' ? undefined : Number(id)
}

function placeOf({ chatId, threadId: thread, replyTo }: Manner) {
  return {
    chat_id: chatId,
    ...(thread !== undefined && { message_thread_id: thread }),
    ...(replyTo !== undefined && { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  }
}

function textOf(text: string, { isMarkdown }: Pick<Manner, 'isMarkdown'>) {
  return isMarkdown ? { text: toMarkdownV2(text), parse_mode: 'MarkdownV2' as const } : { text: toPlainText(text) }
}

function captionOf(caption: string, { isMarkdown }: Manner) {
  const short = caption.length > maxCaption ? `${caption.slice(0, maxCaption - 1).toWellFormed()}…` : caption
  return isMarkdown
    ? { caption: toMarkdownV2(short), parse_mode: 'MarkdownV2' as const }
    : { caption: toPlainText(short) }
}
