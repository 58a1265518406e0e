/** What kind of place a message was written in. */
export type ChatType = 'dm' | 'group' | 'channel' | 'thread'

/** Where a message came from, in upstream's words. */
export interface MessageSource {
  readonly platform: string
  /** Our account on it. */
  readonly account: string
  readonly chatId: string
  readonly chatType: ChatType
  readonly chatName?: string
  readonly chatTopic?: string
  readonly threadId?: string
  /** Of a thread with a chat id of its own: the chat that it is in. */
  readonly parentId?: string
  readonly userId?: string
  readonly userName?: string
  /** Another id of the same person, e.g. Signal's UUID. */
  readonly userIdAlt?: string
  /** The entry of the platform's allow-list that means the person otherwise than by id: a unique name, a role. */
  readonly listedAs?: string
}

/** A file that came with a message, already in a cache folder of the home. */
export interface InboundAttachment {
  readonly kind: 'image' | 'audio' | 'voice' | 'video' | 'document'
  /** Absolute. */
  readonly path: string
  readonly mimeType: string
  readonly name?: string
  /** What a recording says, where its sender knows. */
  readonly transcript?: string
}

/** A message of a person, as platforms hand it over. Survives JSON. */
export interface InboundMessage {
  /** The service's id of the event: the same event again has the same. */
  readonly eventId: string
  /** The service's id of the message, for replies and reactions. */
  readonly messageId?: string
  readonly source: MessageSource
  readonly text: string
  readonly attachments: readonly InboundAttachment[]
  /** Text of the message that this one answers. */
  readonly replyToText?: string
  /** What others said in its place before, or what it passes on: to be known, and no words of who wrote it. */
  readonly background?: string
  /** When it was written, ms since 1970. */
  readonly sentAt: number
  /** Skills that its place asks for. */
  readonly skills?: readonly string[]
  /** Made by a command: it is no command itself, answers no question and interrupts nothing. */
  readonly prepared?: PreparedText
  /** Ours, not a person's: a background process has ended. Needs no permission. */
  readonly isInternal?: boolean
}

/** What a command has made of a message. */
export interface PreparedText {
  /** The person typed the text, so that what it refers to is attached. */
  readonly isTyped: boolean
  /** The message (row of the session) that it stands for: that one and all after it go first. */
  readonly replaces?: number
}

/** Which event it is, over all accounts and platforms. */
export function eventKey({ eventId, source }: InboundMessage): string {
  return JSON.stringify([source.platform, source.account, source.chatId, eventId])
}
