import type { ChatOrigin } from './turn.ts'

/** A place that messages can be sent to. */
export interface MessagePlace {
  readonly platform: string
  readonly chatId: string
  readonly threadId?: string
  /** For people. */
  readonly name?: string
  /** Somebody has spoken to the agent there, or it is a home channel. */
  readonly isKnown: boolean
}

export interface MessageToSend {
  readonly place: MessagePlace
  /** Markdown; `MEDIA:` tags and images are sent as files. */
  readonly text: string
  /** Where it comes from, as the conversation of that place is told. */
  readonly mirrorAs: string
}

export interface SentMessage {
  /** The conversation of that place knows of it. */
  readonly isMirrored: boolean
}

/** Writes to people on chat platforms: from the gateway's process, or from another one. Throws `MessengerError`. */
export interface Messenger {
  /** Why there is nobody to write to, for people; undefined where there may be. Absent: there is. Quick. */
  lacks?(): Promise<string | undefined>
  /** The places that can be named, by platform. */
  places(): Promise<readonly MessagePlace[]>
  /** What `platform`, `platform:chat[:thread]`, a channel's name behind `platform:`, or `origin` means. */
  find(target: string, origin: ChatOrigin | undefined): Promise<MessagePlace>
  /** Resolves when the platform has it, or when it is kept on disk and that takes long. */
  send(message: MessageToSend, signal: AbortSignal): Promise<SentMessage>
}

/** A message cannot be sent. The message says what to do. */
export class MessengerError extends Error {
  override readonly name = 'MessengerError'
  readonly code: 'no-such-place' | 'refused'

  constructor(code: MessengerError['code'], message: string) {
    super(message)
    this.code = code
  }
}
