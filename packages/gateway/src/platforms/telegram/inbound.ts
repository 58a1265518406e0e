import type { Message, UserFromGetMe } from 'grammy/types'
import type { InboundMessage, MessageSource } from '../../messages/inbound-message.ts'
import { threadOf, withoutMention } from './group-rules.ts'
import type { Topics } from './topics.ts'

export interface ReadOptions {
  readonly me: UserFromGetMe
  readonly topics: Pick<Topics, 'find'>
}

/** A message of Telegram as the gateway takes it, without its files. */
export function readMessage(message: Message, { me, topics }: ReadOptions): InboundMessage {
  const threadId = threadOf(message)
  const chatId = String(message.chat.id)
  const topic = topics.find(chatId, threadId)
  const said = withoutMention(message.text ?? message.caption ?? '', me)
  const replyTo = replyText(message)
  return {
    // Ids of messages hold in their chat for ever; those of updates begin anew after idle weeks.
    eventId: String(message.message_id),
    messageId: String(message.message_id),
    source: {
      platform: 'telegram',
      account: String(me.id),
      chatId,
      ...placeOf(message),
      ...(threadId !== undefined && { threadId }),
      ...(topic && { chatTopic: topic.name }),
      ...(message.from && { userId: String(message.from.id), userName: nameOf(message.from) }),
    },
    text: [said, ...notes(message)].filter((part) => part !== '').join('\n\n'),
    attachments: [],
    ...(replyTo !== undefined && { replyToText: replyTo }),
    sentAt: message.date * 1000,
    ...(topic?.skill !== undefined && { skills: [topic.skill] }),
  }
}

function placeOf({ chat }: Message): Pick<MessageSource, 'chatType' | 'chatName'> {
  if (chat.type === 'private') return { chatType: 'dm', chatName: nameOf(chat) }
  return { chatType: chat.type === 'channel' ? 'channel' : 'group', chatName: chat.title }
}

export function nameOf({ first_name: first, last_name: last }: { first_name: string; last_name?: string }): string {
  return [first, last].filter(Boolean).join(' ')
}

/** What the message answers: the part that was chosen, or the whole. */
function replyText({ quote, reply_to_message: replied }: Message): string | undefined {
  const text = quote?.text ?? replied?.text ?? replied?.caption
  return text === undefined || text === '' ? undefined : text
}

/** What is no text and no file, in words. */
function notes(message: Message): readonly string[] {
  const { sticker, venue, contact, poll, dice } = message
  const location = message.venue?.location ?? message.location
  return [
    ...(sticker
      ? [
          `[The user sent a sticker${sticker.emoji ? ` ${sticker.emoji}` : ''}${sticker.set_name ? ` of the set "${sticker.set_name}"` : ''}.]`,
        ]
      : []),
    ...(location ? [locationNote(location, venue)] : []),
    ...(contact ? [`[The user sent a contact: ${nameOf(contact)}, ${contact.phone_number}]`] : []),
    ...(poll ? [`[The user sent a poll: ${poll.question} (${poll.options.map(({ text }) => text).join(' / ')})]`] : []),
    ...(dice ? [`[The user threw ${dice.emoji}: ${dice.value}]`] : []),
  ]
}

function locationNote(
  { latitude, longitude }: { readonly latitude: number; readonly longitude: number },
  venue: Message['venue'],
): string {
  return [
    '[The user shared a location.]',
    ...(venue ? [`Place: ${venue.title}`, `Address: ${venue.address}`] : []),
    `Latitude: ${latitude}`,
    `Longitude: ${longitude}`,
    `Map: https://www.google.com/maps/search/?api=1&query=${latitude},${longitude}`,
    'Where it is not clear what is wanted there, ask.',
  ].join('\n')
}
