import type { Home } from '@hermes/core/config/home.ts'
import { InboundFileError, maxInboundBytes, saveInbound } from '../../media/save-inbound.ts'
import type { InboundAttachment, InboundMessage } from '../../messages/inbound-message.ts'
import type { PlatformHost } from '../platform.ts'
import type { MatrixClient } from './client.ts'
import type { MessageContent } from './events.ts'
import { download } from './media.ts'
import type { RemoteFile } from './media.ts'

/** Fetches the file of a message; where it cannot, the message says so. */
export type FetchFile = (
  content: MessageContent,
  message: InboundMessage,
  signal: AbortSignal,
) => Promise<InboundMessage>

interface SentFile {
  readonly kind: InboundAttachment['kind']
  readonly remote: RemoteFile
  readonly size: number | undefined
  readonly mimeType: string | undefined
  readonly name: string | undefined
}

/** One file at a time: each may take as much memory as is allowed to one. */
export function createFileFetcher(client: MatrixClient, { home, log }: Pick<PlatformHost, 'home' | 'log'>): FetchFile {
  let last: Promise<unknown> = Promise.resolve()
  return async (content, message, signal) => {
    const file = fileOf(content)
    if (!file) return message
    const label = file.name === undefined ? `a file (${file.kind})` : `the file "${file.name}"`
    if ((file.size ?? 0) > maxInboundBytes) {
      return withNote(message, `[The user sent ${label}, which is larger than ${maxInboundBytes / 1024 / 1024} MB.]`)
    }
    try {
      const fetched = last.then(() => download(client, file.remote, maxInboundBytes, signal))
      last = fetched.catch(() => undefined)
      return { ...message, attachments: [await keep(file, await fetched, home)] }
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

const kinds: Readonly<Record<string, InboundAttachment['kind']>> = {
  'm.image': 'image',
  'm.audio': 'audio',
  'm.video': 'video',
  'm.file': 'document',
}

/** Whether a message brings a file. */
export function isFile({ msgtype }: MessageContent): boolean {
  return kinds[msgtype ?? ''] !== undefined
}

/** The name of a message's file. */
export function fileName({ filename, body }: MessageContent): string | undefined {
  return filename || body || undefined
}

function fileOf(content: MessageContent): SentFile | undefined {
  const { msgtype, file, url, info } = content
  const kind = kinds[msgtype ?? '']
  const remote = file ? { file } : url === undefined ? undefined : { url }
  if (kind === undefined || !remote) return undefined
  const isVoice = kind === 'audio' && content['org.matrix.msc3245.voice'] !== undefined
  const isImage = kind === 'document' && info?.mimetype?.startsWith('image/') === true
  return {
    kind: isVoice ? 'voice' : isImage ? 'image' : kind,
    remote,
    size: info?.size,
    mimeType: info?.mimetype,
    name: fileName(content),
  }
}

/** What is sent as a picture and is none is kept as it is. */
async function keep({ kind, mimeType, name }: SentFile, bytes: Buffer, home: Home): Promise<InboundAttachment> {
  const file = { bytes, ...(mimeType !== undefined && { mimeType }), ...(name !== undefined && { name }) }
  try {
    return await saveInbound({ ...file, kind }, { home })
  } catch (error) {
    if (!(error instanceof InboundFileError) || error.code !== 'no-image') throw error
    return saveInbound({ ...file, kind: 'document' }, { home })
  }
}
