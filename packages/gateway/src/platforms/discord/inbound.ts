import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { DiscordMessage, DiscordUser } from './payloads.ts'
import type { Place } from './places.ts'

export interface ReadOptions {
  readonly accountId: string
  readonly place: Place
  readonly botRole: string | undefined
  readonly listedAs: string | undefined
  readonly skills: readonly string[]
}

/** A message of Discord as the gateway takes it, without its files. */
export function readMessage(message: DiscordMessage, options: ReadOptions): InboundMessage {
  const { accountId, place, botRole, listedAs, skills } = options
  const userName = nameOf(message.author, message.member?.nick)
  const replyTo = message.referenced_message?.content
  return {
    eventId: message.id,
    messageId: message.id,
    source: {
      platform: 'discord',
      account: accountId,
      chatId: place.chatId,
      chatType: place.chatType,
      chatName: place.chatName ?? userName,
      ...(place.chatTopic !== undefined && { chatTopic: place.chatTopic }),
      ...(place.threadId !== undefined && { threadId: place.threadId }),
      ...(place.parentId !== undefined && { parentId: place.parentId }),
      userId: message.author.id,
      userName,
      ...(listedAs !== undefined && { listedAs }),
    },
    text: [withoutMention(message.content, accountId, botRole), ...notes(message)].filter(Boolean).join('\n\n'),
    attachments: [],
    ...(replyTo && { replyToText: replyTo }),
    sentAt: Date.parse(message.timestamp) || Date.now(),
    ...(skills.length > 0 && { skills }),
  }
}

export function nameOf({ username, global_name: shown }: DiscordUser, nick?: string | null): string {
  return nick || shown || username
}

/** The text without the agent's name, where something is left then. */
export function withoutMention(text: string, accountId: string, botRole: string | undefined): string {
  const marks = [`<@!?${accountId}>`, ...(botRole === undefined ? [] : [`<@&${botRole}>`])]
  const rest = text.replaceAll(new RegExp(`(?:${marks.join('|')})[,:]?[ \\t]?`, 'g'), '').trim()
  return rest === '' ? text.trim() : rest
}

/** What is no text and no file, in words. */
function notes({ sticker_items: stickers, poll, message_snapshots: forwarded }: DiscordMessage): readonly string[] {
  return [
    ...stickers.map(({ name }) => `[The user sent the sticker "${name}".]`),
    ...(poll
      ? [
          `[The user sent a poll: ${poll.question.text ?? ''} (${poll.answers.map(({ poll_media: { text } }) => text ?? '').join(' / ')})]`,
        ]
      : []),
    ...forwarded.flatMap(({ message: { content } }) =>
      content === '' ? [] : [`[The user forwarded a message:]\n${content}`],
    ),
  ]
}
