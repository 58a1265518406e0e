import { extname } from 'node:path'
import type { OutboundPart } from '../messages/outbound-message.ts'

export type FileKind = Extract<OutboundPart, { type: 'file' }>['kind']

const kinds: readonly (readonly [FileKind, readonly string[]])[] = [
  ['image', ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.bmp']],
  ['video', ['.mp4', '.mov', '.avi', '.mkv', '.webm', '.3gp']],
  ['voice', ['.ogg', '.opus', '.oga']],
  ['audio', ['.mp3', '.wav', '.m4a', '.flac']],
]

/** How a file is sent, by the end of its name; sound `asVoice` is a voice message. */
export function kindOfFile(path: string, asVoice: boolean): FileKind {
  const extension = extname(path).toLowerCase()
  const kind = kinds.find(([, extensions]) => extensions.includes(extension))?.[0] ?? 'document'
  return kind === 'audio' && asVoice ? 'voice' : kind
}
