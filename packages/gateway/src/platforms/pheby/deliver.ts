import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { ChatRef, OutboundPart, SentRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { SendOptions } from '../platform.ts'
import { attachmentOf } from './attachment-event.ts'
import { nameOf } from './conversation-view.ts'
import type { Pheby } from './pheby.ts'
import { baseEvent, draftMark } from './run.ts'
import type { Run } from './run.ts'
import { timestamp } from './timestamp.ts'
import { finishIfDelivered } from './turn-face.ts'

/** Brings one part of what the agent says to the clients. Throws `PlatformError`. */
export async function deliver(
  pheby: Pheby,
  to: { readonly chat: ChatRef; readonly part: OutboundPart; readonly options: SendOptions },
  signal: AbortSignal,
): Promise<SentRef> {
  const { chat, part, options } = to
  await takeIn(pheby, chat.chatId)
  await pheby.conversations.touch(chat.chatId)
  const run = options.answers === undefined ? undefined : pheby.runs.ofEvent(options.answers)
  const messageId =
    part.type === 'file'
      ? await deliverFile(pheby, { conversationId: chat.chatId, part, options, run }, signal)
      : await deliverText(pheby, { conversationId: chat.chatId, text: part.text, options, run })
  return { chat, messageId }
}

/** Gives a draft its final text. The same again changes nothing. */
export function replaceDraft(pheby: Pheby, { chat, messageId }: SentRef, text: string): void {
  const run = pheby.runs.ofDraft(messageId)
  if (run) return completeRun(pheby, run, text)
  say(pheby, { conversationId: chat.chatId, messageId, text, isNotice: false })
}

/** A place that something is brought to is a conversation of the app, unless it was deleted. */
async function takeIn({ conversations, clients }: Pheby, id: string): Promise<void> {
  if (await conversations.find(id)) return
  const adopted = await conversations.adopt(id, '')
  if (!adopted) throw new PlatformError('gone', 'The conversation was deleted.')
  if (adopted.isNew)
    clients.broadcast({ type: 'conversation.updated', conversation_id: id, name: nameOf({ name: '' }) })
}

interface PartOf<What> {
  readonly conversationId: string
  readonly options: SendOptions
  /** The run that it belongs to, while it goes on. */
  readonly run: Run | undefined
  readonly part: What
}

async function deliverFile(
  pheby: Pheby,
  { conversationId, part, options, run }: PartOf<Extract<OutboundPart, { type: 'file' }>>,
  signal: AbortSignal,
): Promise<string> {
  const { attachments, clients, host, runs } = pheby
  const messageId = run?.messageId ?? draftOf(options.answers)
  try {
    const added = await attachments.add({ key: options.key, conversationId, messageId, part }, signal)
    if (added) {
      const attachment = attachmentOf(added)
      const ts = timestamp(host.clock.now())
      clients.broadcast({ type: 'attachment.added', conversation_id: conversationId, attachment, ts })
    }
    if (part.caption) say(pheby, { conversationId, messageId: ownId(options.key), text: part.caption, isNotice: false })
    return added?.id ?? options.key
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const text = `⚠️ ${basename(part.path)} was not sent: ${error.message}`
    say(pheby, { conversationId, messageId: ownId(options.key), text, isNotice: true })
    throw error
  } finally {
    if (run && !run.isOver) {
      run.delivered++
      finishIfDelivered(run, runs)
    }
  }
}

async function deliverText(
  pheby: Pheby,
  { conversationId, text, options, run }: Omit<PartOf<never>, 'part'> & { readonly text: string },
): Promise<string> {
  const { runs, host, deliveries } = pheby
  const { key, answers, isNotice = false } = options
  const messageId = ownId(key)
  if (run && isNotice) {
    // Before its turn begins a notice that answers a message is what its command says.
    if (run.hasBegun) say(pheby, { conversationId, messageId, text, isNotice })
    else {
      runs.complete(run, text, 'notice')
      runs.finish(run, { status: 'completed' })
    }
    return run.messageId
  }
  if (run) {
    completeRun(pheby, run, text)
    return run.messageId
  }
  if (isNotice || answers !== undefined) {
    say(pheby, { conversationId, messageId, text, isNotice })
    return messageId
  }
  // Nobody asked for it, and no session holds it.
  const isNew = await deliveries.add({ key, conversationId, messageId, text, at: host.clock.now() })
  if (!isNew) return messageId
  if (runs.active(conversationId)) say(pheby, { conversationId, messageId, text, isNotice: false })
  else {
    const own = runs.unasked(conversationId, key)
    runs.complete(own, text)
    runs.finish(own, { status: 'completed' })
  }
  return messageId
}

function completeRun({ runs }: Pheby, run: Run, text: string): void {
  const notice = run.outcome?.notice
  const isNotice = notice !== undefined && text.trim() === `⚠️ ${notice}`
  runs.complete(run, text, isNotice ? 'notice' : undefined)
  run.delivered++
  finishIfDelivered(run, runs)
}

/** A message beside the runs. */
function say(
  { clients, host }: Pheby,
  message: {
    readonly conversationId: string
    readonly messageId: string
    readonly text: string
    readonly isNotice: boolean
  },
): void {
  const { conversationId, messageId, text, isNotice } = message
  clients.broadcast({
    type: 'message.complete',
    conversation_id: conversationId,
    message_id: messageId,
    text,
    ...(isNotice && { kind: 'notice' }),
    ts: timestamp(host.clock.now()),
  })
}

/** The id of the message with that key: the same each time. */
function ownId(key: string): string {
  return `d-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
}

/** The draft of a run that has ended: its event has the run's id where a client asked for it. */
function draftOf(answers: string | undefined): string | undefined {
  const event = answers === undefined ? '' : baseEvent(answers)
  return /^[0-9a-f]{32}$/.test(event) ? `${draftMark}${event}` : undefined
}
