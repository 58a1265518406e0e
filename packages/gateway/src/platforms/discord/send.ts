import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Button, ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { SendOptions } from '../platform.ts'
import { isReplyRefused, isVoiceRefused } from './errors.ts'
import { toDiscordMarkdown } from './markdown.ts'
import { sentMessage } from './payloads.ts'
import { channelIdOf } from './places.ts'
import type { DiscordRest, RestFile } from './rest.ts'
import { voiceNote } from './voice-note.ts'

/** More than any server lets bots send, bytes; where the limit is lower the service says so. */
const maxFileBytes = 100 * 1024 * 1024

const voiceFlag = 1 << 13

/** Rows of buttons, and buttons in one; longest label. */
const [maxRows, rowButtons, maxLabel] = [5, 5, 80]

/** People may be named so that they are told; everybody at once may not. */
const mentions = { parse: ['users'], replied_user: true }

export interface SendContext {
  readonly rest: DiscordRest
  readonly signal: AbortSignal
}

type FilePart = Extract<OutboundPart, { type: 'file' }>

/** Sends one part. Throws `PlatformError`. */
export async function sendPart(
  to: ChatRef,
  part: OutboundPart,
  options: SendOptions,
  context: SendContext,
): Promise<SentRef> {
  if (part.type === 'file') return sendFile(to, part, options, context)
  const content = toDiscordMarkdown(part.text).trim()
  // There is nothing that a person could be shown.
  if (content === '') return { chat: to, messageId: '' }
  return post(to, { content, ...(part.buttons && { components: rowsOf(part.buttons) }) }, options, context)
}

async function sendFile(
  to: ChatRef,
  { path, kind, caption }: FilePart,
  options: SendOptions,
  context: SendContext,
): Promise<SentRef> {
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  )
  if (size === undefined) throw new PlatformError('refused', `There is no file ${path} to send.`)
  if (size > maxFileBytes) throw new PlatformError('too-long', 'The file is larger than the 100 MB that Discord takes.')
  const data = await openAsBlob(path)
  const content = caption === undefined ? '' : toDiscordMarkdown(caption).slice(0, 2_000).toWellFormed().trim()
  const note = kind === 'voice' && content === '' ? await voiceNote(path) : undefined
  if (note) {
    const name = 'voice-message.ogg'
    const body = { flags: voiceFlag, attachments: [{ id: 0, filename: name, ...note }] }
    try {
      return await post(to, body, options, context, [{ name, data }])
    } catch (error) {
      if (!isVoiceRefused(error)) throw error
      await options.again?.()
    }
  }
  return post(to, content === '' ? {} : { content }, options, context, [{ name: basename(path), data }])
}

/** Gives a message of ours another text; with `buttons` these in place of its own. */
export async function editText(
  { chat, messageId }: SentRef,
  text: string,
  { rest, signal }: SendContext,
  buttons?: readonly Button[],
): Promise<void> {
  const path = `/channels/${channelIdOf(chat)}/messages/${messageId}`
  const content = toDiscordMarkdown(text).trim()
  const body = { content, allowed_mentions: mentions, ...(buttons && { components: rowsOf(buttons) }) }
  await rest.run({ method: 'PATCH', path, body }, signal)
}

/** Sends, and sends again without what it answers where that cannot be answered. */
async function post(
  to: ChatRef,
  body: Readonly<Record<string, unknown>>,
  { key, replyTo, again }: SendOptions,
  { rest, signal }: SendContext,
  files?: readonly RestFile[],
): Promise<SentRef> {
  const channelId = channelIdOf(to)
  const whole = { ...body, allowed_mentions: mentions, nonce: nonceOf(key), enforce_nonce: true }
  const call = { method: 'POST', path: `/channels/${channelId}/messages`, ...(files && { files }) } as const
  // The message that a thread starts at is not in it.
  const isReply = replyTo !== undefined && replyTo !== '' && replyTo !== channelId
  const reference = isReply ? { message_reference: { message_id: replyTo, fail_if_not_exists: false } } : {}
  try {
    const sent = await rest.call(sentMessage, { ...call, body: { ...whole, ...reference } }, signal)
    return { chat: to, messageId: sent.id }
  } catch (error) {
    if (!isReply || !isReplyRefused(error)) throw error
    await again?.()
    return { chat: to, messageId: (await rest.call(sentMessage, { ...call, body: whole }, signal)).id }
  }
}

/** Messages with the same one, sent within some minutes, are one. At most 25 characters. */
function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 24)
}

function rowsOf(buttons: readonly Button[]): readonly unknown[] {
  const shown = buttons.slice(0, maxRows * rowButtons).map(({ label, data }) => ({
    type: 2,
    style: 2,
    label: label.length > maxLabel ? `${label.slice(0, maxLabel - 1).toWellFormed()}…` : label,
    custom_id: data,
  }))
  return Array.from({ length: Math.ceil(shown.length / rowButtons) }, (_, row) => ({
    type: 1,
    components: shown.slice(row * rowButtons, (row + 1) * rowButtons),
  }))
}
