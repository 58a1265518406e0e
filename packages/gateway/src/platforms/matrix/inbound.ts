import type { InboundMessage } from '../../messages/inbound-message.ts'
import { fileName, isFile } from './attachments.ts'
import type { MessageContent, RoomEvent } from './events.ts'
import { textOf } from './mention.ts'
import type { Self } from './mention.ts'
import type { Room } from './rooms.ts'

export interface ReadOptions {
  readonly room: Room
  readonly self: Self
  readonly threadId: string | undefined
}

/** A message of Matrix as the gateway takes it, without its file. */
export function readMessage(
  event: RoomEvent,
  content: MessageContent,
  { room, self, threadId }: ReadOptions,
): InboundMessage {
  const { event_id: eventId = '', sender = '', origin_server_ts: at } = event
  const userName = room.members.get(sender)
  return {
    eventId,
    messageId: eventId,
    source: {
      platform: 'matrix',
      account: self.userId,
      chatId: room.id,
      chatType: room.isDirect ? 'dm' : 'group',
      ...chatName(room, userName),
      ...(threadId !== undefined && { threadId }),
      userId: sender,
      ...(userName && { userName }),
    },
    text: saidIn(content, self),
    attachments: [],
    sentAt: at ?? Date.now(),
  }
}

function chatName(room: Room, userName: string | undefined): { readonly chatName?: string } {
  const name = room.name || (room.isDirect ? userName : undefined)
  return name ? { chatName: name } : {}
}

function saidIn(content: MessageContent, self: Self): string {
  if (content.msgtype === 'm.location') return `[The user shared a location: ${content.geo_uri ?? content.body}]`
  // Beside a file the text is a caption where it is not its name.
  if (isFile(content) && (content.filename === undefined || fileName(content) === content.body)) return ''
  return textOf(content, self)
}
