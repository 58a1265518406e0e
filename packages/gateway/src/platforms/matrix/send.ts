import { createHash, randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { SendOptions } from '../platform.ts'
import { legend, signs } from './choices.ts'
import { toHtml } from './markdown-html.ts'
import { upload } from './media.ts'
import { react } from './progress-reactions.ts'
import { sendEvent } from './room-calls.ts'
import type { Room } from './rooms.ts'
import type { MatrixParts } from './take-event.ts'

/** Longest that reactions to tap on are offered, ms. */
const offerMs = 60_000

type FilePart = Extract<OutboundPart, { type: 'file' }>

export type SendParts = Pick<MatrixParts, 'client' | 'rooms' | 'encryption' | 'choices' | 'threads' | 'settings'> & {
  /** Largest file that the server takes, bytes. */
  readonly maxFileBytes: number
}

/** Sends one part. Throws `PlatformError`. */
export async function sendPart(
  to: ChatRef,
  part: OutboundPart,
  { key, replyTo }: SendOptions,
  parts: SendParts,
  signal: AbortSignal,
): Promise<SentRef> {
  const { threads, choices, settings, rooms } = parts
  const room = await rooms.get(to.chatId)
  if (room.encryption && !parts.encryption) throw noEncryption()
  const content =
    part.type === 'file' ? await fileContent(room, part, parts, signal) : textContent(shownText(room, part))
  const relation = relationOf(to, settings.replies ? replyTo : undefined)
  const whole = { ...content, ...(relation && { 'm.relates_to': relation }) }
  const messageId = await sendMessage(to.chatId, whole, transactionOf(key), parts, signal)
  if (to.threadId !== undefined) await threads.join(to.threadId)
  if (part.type === 'text' && part.buttons) {
    choices.open(messageId, to, part.buttons)
    if (!room.encryption) offerReactions(to.chatId, messageId, part.buttons.length, parts)
  }
  return { chat: to, messageId }
}

/** Gives a message of ours another text. */
export async function editText(
  { chat, messageId }: SentRef,
  text: string,
  parts: Omit<SendParts, 'maxFileBytes'>,
  signal: AbortSignal,
): Promise<void> {
  const content = textContent(text)
  const html = content.formatted_body
  const whole = {
    ...content,
    body: `* ${content.body}`,
    ...(html !== undefined && { formatted_body: `* ${html}` }),
    'm.new_content': content,
    'm.relates_to': { rel_type: 'm.replace', event_id: messageId },
  }
  await sendMessage(chat.chatId, whole, randomUUID(), parts, signal)
}

/** Sends a message, encrypted where its room is. Resolves to its id. */
async function sendMessage(
  roomId: string,
  content: unknown,
  transaction: string,
  { client, rooms, encryption }: Pick<SendParts, 'client' | 'rooms' | 'encryption'>,
  signal: AbortSignal,
): Promise<string> {
  const room = await rooms.get(roomId)
  if (!room.encryption) return sendEvent(client, { roomId, type: 'm.room.message', content, transaction }, signal)
  if (!encryption) throw noEncryption()
  const plain = {
    roomId,
    members: [...room.members.keys()],
    settings: room.encryption,
    type: 'm.room.message',
    content,
  }
  const sealed = await encryption.seal(plain, signal)
  return sendEvent(client, { roomId, type: 'm.room.encrypted', content: sealed, transaction }, signal)
}

/** What people may tap on. Without it they can react as well. */
function offerReactions(roomId: string, messageId: string, count: number, { client }: Pick<SendParts, 'client'>): void {
  const signal = AbortSignal.timeout(offerMs)
  const offer = async () => {
    for (const key of signs.slice(0, count)) await react(client, { roomId, messageId, key }, signal)
  }
  offer().catch(() => undefined)
}

function noEncryption(): PlatformError {
  return new PlatformError('refused', 'The room is encrypted. Set MATRIX_ENCRYPTION=true in .env to write there.')
}

function transactionOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}

function shownText({ encryption }: Room, { text, buttons }: Extract<OutboundPart, { type: 'text' }>): string {
  // Reactions are not encrypted: where everything else is, the server could make them up.
  return buttons && buttons.length > 0 ? `${text}\n\n${legend(buttons, !encryption)}` : text
}

function textContent(text: string) {
  const body = text.toWellFormed()
  return { msgtype: 'm.text', body, ...formatted(body), 'm.mentions': {} }
}

function formatted(text: string): { readonly format?: string; readonly formatted_body?: string } {
  const html = toHtml(text)
  return html === undefined ? {} : { format: 'org.matrix.custom.html', formatted_body: html }
}

function relationOf({ threadId }: ChatRef, replyTo: string | undefined): object | undefined {
  const answered = replyTo ? { 'm.in_reply_to': { event_id: replyTo } } : undefined
  if (threadId === undefined) return answered
  return {
    rel_type: 'm.thread',
    event_id: threadId,
    is_falling_back: true,
    ...(answered ?? { 'm.in_reply_to': { event_id: threadId } }),
  }
}

const messageTypes = {
  image: 'm.image',
  audio: 'm.audio',
  voice: 'm.audio',
  video: 'm.video',
  document: 'm.file',
} as const

async function fileContent(room: Room, part: FilePart, parts: SendParts, signal: AbortSignal): Promise<object> {
  const { client, maxFileBytes } = parts
  const { path, kind, caption } = part
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  )
  if (size === undefined) throw new PlatformError('refused', `There is no file ${path} to send.`)
  if (size > maxFileBytes)
    throw new PlatformError('too-long', `The file is larger than the ${maxFileBytes} bytes that the server takes.`)
  const [name, mimeType] = [basename(path), mimeOf(part)]
  const where = await upload(client, { path, size, mimeType, name }, room.encryption !== undefined, signal)
  const said = caption?.toWellFormed()
  return {
    msgtype: messageTypes[kind],
    body: said ?? name,
    ...(said !== undefined && { filename: name, ...formatted(said) }),
    info: { mimetype: mimeType, size },
    ...where,
    ...(kind === 'voice' && { 'org.matrix.msc3245.voice': {}, 'org.matrix.msc1767.audio': {} }),
    'm.mentions': {},
  }
}

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.wav': 'audio/wav',
  '.flac': 'audio/flac',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
}

function mimeOf({ path }: FilePart): string {
  return types[extname(path).toLowerCase()] ?? 'application/octet-stream'
}
