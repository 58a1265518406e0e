import type { MessageSource } from './inbound-message.ts'
import type { ChatRef } from './outbound-message.ts'

/** The place that a message came from, to send to. */
export function chatOf({ platform, chatId, chatType, threadId }: MessageSource): ChatRef {
  return { platform, chatId, chatType, ...(threadId !== undefined && { threadId }) }
}
