import type { Home } from '@hermes/core/config/home.ts'
import type { Message } from 'grammy/types'
import { InboundFileError, saveInbound } from '../../media/save-inbound.ts'
import type { InboundAttachment, InboundMessage } from '../../messages/inbound-message.ts'
import type { PlatformHost } from '../platform.ts'
import type { TelegramClient } from './client.ts'

/** Largest file that bots can fetch, bytes: https://core.telegram.org/bots/api#getfile */
const maxBytes = 20 * 1024 * 1024

/** Downloads at once. */
const maxDownloads = 4

interface RemoteFile {
  readonly kind: InboundAttachment['kind']
  readonly fileId: string
  readonly size: number | undefined
  readonly mimeType: string
  readonly name?: string
}

/** Fetches the file of a message; where it cannot, the message says so. */
export type FetchFile = (raw: Message, message: InboundMessage, signal: AbortSignal) => Promise<InboundMessage>

export function createFileFetcher(
  client: TelegramClient,
  { home, log }: Pick<PlatformHost, 'home' | 'log'>,
): FetchFile {
  const waiting: (() => void)[] = []
  let busy = 0

  async function inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (busy >= maxDownloads) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy++
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }

  return async (raw, message, signal) => {
    let label = 'a file'
    try {
      const file = fileOf(raw)
      if (!file) return message
      label = file.name ? `the file "${file.name}"` : `a file (${file.kind})`
      if ((file.size ?? 0) > maxBytes) {
        return withNote(message, `[The user sent ${label}, which is larger than the 20 MB that bots can fetch.]`)
      }
      const bytes = await inTurn(() => client.download(file.fileId, maxBytes, signal))
      return { ...message, attachments: [await keep(file, bytes, home)] }
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ error: String(error) }, 'a file could not be fetched')
      return withNote(message, `[The user sent ${label}, which could not be fetched. They may send it again.]`)
    }
  }
}

function withNote(message: InboundMessage, note: string): InboundMessage {
  return { ...message, text: [message.text, note].filter(Boolean).join('\n\n') }
}

function fileOf({
  photo,
  voice,
  audio,
  video,
  video_note: round,
  animation,
  document,
}: Message): RemoteFile | undefined {
  // Sizes of a photo come in order, the largest last.
  const largest = photo?.at(-1)
  if (largest) return { kind: 'image', fileId: largest.file_id, size: largest.file_size, mimeType: 'image/jpeg' }
  if (voice) return remote('voice', voice, 'audio/ogg')
  if (audio) return remote('audio', audio, 'audio/mpeg')
  const moving = video ?? animation ?? round
  if (moving) return remote('video', moving, 'video/mp4')
  if (!document) return undefined
  return remote(document.mime_type?.startsWith('image/') ? 'image' : 'document', document, 'application/octet-stream')
}

function remote(
  kind: RemoteFile['kind'],
  file: {
    readonly file_id: string
    readonly file_size?: number
    readonly mime_type?: string
    readonly file_name?: string
  },
  fallback: string,
): RemoteFile {
  return {
    kind,
    fileId: file.file_id,
    size: file.file_size,
    mimeType: file.mime_type ?? fallback,
    ...(file.file_name !== undefined && { name: file.file_name }),
  }
}

/** What is sent as a picture and is none is kept as it is. */
async function keep({ kind, mimeType, name }: RemoteFile, bytes: Buffer, home: Home): Promise<InboundAttachment> {
  const file = { bytes, mimeType, ...(name !== undefined && { name }) }
  try {
    return await saveInbound({ ...file, kind }, { home })
  } catch (error) {
    if (!(error instanceof InboundFileError) || error.code !== 'no-image') throw error
    return saveInbound({ ...file, kind: 'document' }, { home })
  }
}
