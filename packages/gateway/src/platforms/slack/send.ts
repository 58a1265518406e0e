import { z } from 'zod'
import type { Button, ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { SendOptions } from '../platform.ts'
import { toBlocks } from './buttons.ts'
import type { ChannelJudge } from './channel-rules.ts'
import type { SlackClient } from './client.ts'
import type { EditBudget } from './edit-budget.ts'
import { toMrkdwn } from './mrkdwn.ts'
import type { ResponseUrls } from './response-urls.ts'
import type { SlackSettings } from './settings.ts'
import type { SlackTeams } from './teams.ts'
import { sendFile } from './upload.ts'

/** Longest text of a message, and of one that is edited. */
const maxText = 40_000
const maxEdit = 4_000

const posted = z.looseObject({ ts: z.string(), channel: z.string() })

export interface SendContext {
  readonly client: SlackClient
  readonly teams: SlackTeams
  readonly settings: Pick<SlackSettings, 'replyBroadcast'>
  readonly judge: ChannelJudge
  readonly responseUrls: ResponseUrls
  readonly edits: EditBudget
}

/** Sends one part, into the thread of its chat. Throws `PlatformError`. */
export async function sendPart(
  to: ChatRef,
  part: OutboundPart,
  { replyTo, again }: Pick<SendOptions, 'replyTo' | 'again'>,
  context: SendContext,
  signal: AbortSignal,
): Promise<SentRef> {
  if (part.type === 'file') return sendFile(to, part, context, signal)
  const text = toMrkdwn(part.text)
  // There is nothing that a person could be shown.
  if (text.trim() === '') return { chat: to, messageId: '' }
  if (text.length > maxText) throw new PlatformError('too-long', 'The text is longer than Slack takes.')
  const message = {
    text,
    ...(part.buttons && part.buttons.length > 0 && { blocks: toBlocks(part.text, part.buttons, to) }),
    isBroadcast: context.settings.replyBroadcast && replyTo !== undefined,
  }
  try {
    return await post(to, message, context, signal)
  } catch (error) {
    if (!(error instanceof PlatformError) || !['refused', 'gone'].includes(error.code)) throw error
    // A thread whose beginning is gone takes no answers: its channel does.
    if (to.threadId !== undefined && /thread_not_found|invalid_thread_ts/.test(error.message)) {
      const { threadId: _gone, ...channel } = to
      await again?.()
      return post(channel, message, context, signal)
    }
    const sent = part.buttons ? undefined : await answerCommand(to, text, context, signal)
    if (!sent) throw error
    return sent
  }
}

interface Message {
  readonly text: string
  readonly blocks?: ReturnType<typeof toBlocks>
  readonly isBroadcast: boolean
}

async function post(
  to: ChatRef,
  { text, blocks, isBroadcast }: Message,
  { client, teams, judge }: SendContext,
  signal: AbortSignal,
): Promise<SentRef> {
  const { chatId: channel, threadId: thread } = to
  const { token } = await teams.ofChannel(channel, signal)
  const message = {
    channel,
    text,
    ...(blocks && { blocks }),
    ...(thread !== undefined && { thread_ts: thread, reply_broadcast: isBroadcast }),
  }
  const method = 'chat.postMessage'
  const sent = posted.parse(await client.call(token, method, message, { signal }))
  if (thread !== undefined) judge.notePost(channel, thread)
  // What is sent to a person is in the channel that the two of us have.
  return { chat: { ...to, chatId: sent.channel }, messageId: sent.ts }
}

/** Where the app is not in a channel, the person who gave a command there is answered alone. */
async function answerCommand(
  to: ChatRef,
  text: string,
  { client, responseUrls }: SendContext,
  signal: AbortSignal,
): Promise<SentRef | undefined> {
  const url = responseUrls.of(to.chatId)
  if (url === undefined || !client.isOwnHost(url)) return undefined
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)])
  const body = JSON.stringify({ response_type: 'ephemeral', text })
  const headers = { 'content-type': 'application/json' }
  const response = await client.fetch(url, { method: 'POST', headers, body, signal: limit })
  response.discard()
  return response.isOk ? { chat: to, messageId: '' } : undefined
}

/** Gives a message of ours another text, and these buttons or none. Throws `PlatformError`. */
export async function editText(
  { chat, messageId }: SentRef,
  markdown: string,
  { client, teams, edits }: SendContext,
  signal: AbortSignal,
  buttons?: readonly Button[],
): Promise<void> {
  const text = toMrkdwn(markdown)
  if (text.length > maxEdit) throw new PlatformError('too-long', 'The text is longer than an edit may be.')
  const team = await teams.ofChannel(chat.chatId, signal)
  edits.take(team.id)
  // Without blocks those that are there would stay.
  const edit = {
    channel: chat.chatId,
    ts: messageId,
    text,
    blocks: buttons ? toBlocks(markdown, buttons, chat) : [],
    parse: 'none' as const,
  }
  await client.call(team.token, 'chat.update', edit, { signal })
}

/** Takes a message of ours away. Throws `PlatformError`. */
export async function removeMessage(
  { chat, messageId }: SentRef,
  { client, teams }: SendContext,
  signal: AbortSignal,
): Promise<void> {
  const team = await teams.ofChannel(chat.chatId, signal)
  const target = { channel: chat.chatId, ts: messageId }
  await client.call(team.token, 'chat.delete', target, { signal })
}
