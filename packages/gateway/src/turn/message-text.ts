import type { InboundMessage } from '../messages/inbound-message.ts'

/** Longest part of a message answered to that is repeated, characters. */
const replyChars = 500

/** What the agent reads of a person's message: what it answers to, who wrote it where several do, what its files say. */
export function messageText(
  message: InboundMessage,
  files: readonly string[],
): { readonly text: string; readonly typedLength: number } {
  const { text, replyToText, background, source, prepared } = message
  if (prepared) return { text: [text, ...files].join('\n\n'), typedLength: prepared.isTyped ? text.length : 0 }
  const isShared = source.chatType !== 'dm' && source.threadId !== undefined && source.userName !== undefined
  const before = [
    ...(background ? [background] : []),
    ...(replyToText ? [`[Replying to: "${shortened(replyToText)}"]`] : []),
    ...(isShared ? [`[${source.userName}]`] : []),
  ]
  const own = text.trim()
  // What a person typed comes first, where references of theirs are expanded.
  if (before.length === 0) return { text: [own, ...files].filter(Boolean).join('\n\n'), typedLength: own.length }
  return { text: [before.join('\n'), own, ...files].filter(Boolean).join('\n'), typedLength: 0 }
}

function shortened(text: string): string {
  return text.length > replyChars ? `${text.slice(0, replyChars)}…`.toWellFormed() : text
}
