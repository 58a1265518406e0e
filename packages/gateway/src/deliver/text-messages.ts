import type { ChatRef } from '../messages/outbound-message.ts'
import type { MessageLimits } from '../platforms/platform.ts'
import type { Outgoing } from '../store/outbox.ts'
import { splitText } from './split-text.ts'

/** What a platform takes of which nothing is known. */
export const plainLimits: MessageLimits = { maxLength: 4_000 }

export interface TextMessages {
  /** Unique to the text; its parts are numbered. */
  readonly key: string
  readonly chat: ChatRef
  readonly text: string
  /** The messages that the text was cut into already. */
  readonly parts?: readonly string[]
  readonly limits: MessageLimits | undefined
  readonly replyTo?: string
  /** All are replies, not the first alone. */
  readonly areAllReplies?: boolean
  /** As in `Outgoing`. */
  readonly answers?: string
  readonly isNotice?: boolean
}

/** A text as messages that its platform takes, the first one a reply. */
export function textMessages(message: TextMessages): readonly Outgoing[] {
  const { key, chat, text, limits, replyTo, areAllReplies, answers, isNotice } = message
  const { parts = splitText(text, limits ?? plainLimits) } = message
  return parts.map((part, at) => ({
    key: `${key}:${at}`,
    chat,
    part: { type: 'text', text: part },
    ...((at === 0 || areAllReplies) && replyTo !== undefined && { replyTo }),
    ...(answers !== undefined && { answers }),
    ...(isNotice && { isNotice }),
  }))
}
