import type { InboundMessage } from '../messages/inbound-message.ts'

/** Longest part of a message answered to that is repeated, characters. */
const replyChars = 500

const maxNameChars = 100

/** What the agent reads of a person's message: what it answers to, who wrote it where several do, what its files say. */
export function messageText(
  message: InboundMessage,
  files: readonly string[],
): { readonly text: string; readonly typedLength: number } {
  const { text, replyToText, background, source, prepared } = message
  if (prepared)
    return { text: [text, ...files].filter(Boolean).join('\n\n'), typedLength: prepared.isTyped ? text.length : 0 }
  const isShared = source.chatType !== 'dm' && source.threadId !== undefined && source.userName !== undefined
  const before = [
    ...(background ? [background] : []),
    ...(replyToText ? [`[Replying to: "${shortened(replyToText)}"]`] : []),
    ...(isShared ? [`[${plainName(source.userName)}]`] : []),
  ]
  const own = text.trim()
  // What a person typed comes first, where references of theirs are expanded.
  if (before.length === 0) return { text: [own, ...files].filter(Boolean).join('\n\n'), typedLength: own.length }
  return { text: [before.join('\n'), own, ...files].filter(Boolean).join('\n'), typedLength: 0 }
}

/** A name that people give themselves, so that it stays one: it neither ends its bracket nor begins another one's words. */
export function plainName(name: string, maxChars = maxNameChars): string {
  return name
    .replaceAll(/[[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, maxChars)
    .toWellFormed()
}

function shortened(text: string): string {
  return text.length > replyChars ? `${text.slice(0, replyChars)}…`.toWellFormed() : text
}
