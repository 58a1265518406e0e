import type { InboundMessage } from '../messages/inbound-message.ts'

/** Longest part of a message answered to that is repeated, characters. */
const replyChars = 500

/** What the agent reads of a person's message: what it answers to, who wrote it where several do, its files. */
export function messageText(message: InboundMessage): { readonly text: string; readonly typedLength: number } {
  const { text, replyToText, source, attachments } = message
  const isShared = source.chatType !== 'dm' && source.threadId !== undefined && source.userName !== undefined
  const before = [
    ...(replyToText ? [`[Replying to: "${shortened(replyToText)}"]`] : []),
    ...(isShared ? [`[${source.userName}]`] : []),
  ]
  const after = attachments.filter(({ kind }) => kind !== 'image').map(fileNote)
  const own = text.trim()
  // What a person typed comes first, where references of theirs are expanded.
  if (before.length === 0) return { text: [own, ...after].filter(Boolean).join('\n\n'), typedLength: own.length }
  return { text: [before.join('\n'), own, ...after].filter(Boolean).join('\n'), typedLength: 0 }
}

function fileNote({ kind, path, name, mimeType }: InboundMessage['attachments'][number]): string {
  const what = {
    audio: 'an audio file',
    voice: 'a voice message',
    video: 'a video',
    document: 'a file',
    image: 'an image',
  }
  return `[The user sent ${what[kind]}${name ? ` "${name.replaceAll(/[^\w.\- ]/g, '_')}"` : ''} (${mimeType}): ${path}]`
}

function shortened(text: string): string {
  return text.length > replyChars ? `${text.slice(0, replyChars)}…`.toWellFormed() : text
}
