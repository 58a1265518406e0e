import type { ChatType } from './inbound-message.ts'

/** A place that messages can be sent to. */
export interface ChatRef {
  readonly platform: string
  readonly chatId: string
  readonly chatType: ChatType
  readonly threadId?: string
}

/** A message of ours on a service. */
export interface SentRef {
  readonly chat: ChatRef
  readonly messageId: string
}

/** One message, or one file, to send. Text is Markdown; the platform puts it into its own form. */
export type OutboundPart =
  | { readonly type: 'text'; readonly text: string; readonly buttons?: readonly Button[] }
  | {
      readonly type: 'file'
      readonly kind: 'image' | 'audio' | 'voice' | 'video' | 'document'
      /** Absolute. */
      readonly path: string
      readonly caption?: string
    }

export interface Button {
  readonly label: string
  /** Comes back when it is pressed. */
  readonly data: string
  /** Buttons that follow each other with the same one stand side by side, where the service has rows. */
  readonly row?: number
}
