import { InboundFileError, saveInbound } from '../../media/save-inbound.ts'
import type { InboundAttachment, InboundMessage } from '../../messages/inbound-message.ts'
import type { PlatformHost } from '../platform.ts'
import type { DiscordAttachment, DiscordMessage } from './payloads.ts'
import type { SendHttp } from './outbound-http.ts'
import { createSlots } from './slots.ts'

/** Largest file that is fetched, bytes, and most files of one message. */
const maxBytes = 32 * 1024 * 1024
const maxFiles = 10

/** Downloads at once. */
const maxDownloads = 4

const downloadMs = 60_000

/** Flag of a message whose only file is a recording. */
const voiceFlag = 1 << 13

/** Fetches the files of a message; where it cannot, the message says so. */
export type FetchFiles = (raw: DiscordMessage, message: InboundMessage, signal: AbortSignal) => Promise<InboundMessage>

export interface FileSources {
  readonly send: SendHttp
  /** Beginnings of addresses that are fetched from. */
  readonly roots: readonly string[]
  readonly host: Pick<PlatformHost, 'home' | 'log'>
}

export function createFileFetcher({ send, roots, host }: FileSources): FetchFiles {
  const inTurn = createSlots(maxDownloads)

  async function fetchOne(
    file: DiscordAttachment,
    isVoice: boolean,
    signal: AbortSignal,
  ): Promise<InboundAttachment | string> {
    const label = `the file "${file.filename}"`
    if (file.size > maxBytes) return `[The user sent ${label}, which is larger than the 32 MB that are fetched.]`
    try {
      const bytes = await inTurn(() => download(file.url, { send, roots }, signal))
      return await keep(file, bytes, isVoice, host)
    } catch (error) {
      signal.throwIfAborted()
      host.log.warn({ error: String(error) }, 'a file could not be fetched')
      return `[The user sent ${label}, which could not be fetched. They may send it again.]`
    }
  }

  return async (raw, message, signal) => {
    const all = [...raw.attachments, ...raw.message_snapshots.flatMap(({ message: { attachments } }) => attachments)]
    const isVoice = (raw.flags & voiceFlag) !== 0
    const got: (InboundAttachment | string)[] = []
    for (const file of all.slice(0, maxFiles)) got.push(await fetchOne(file, isVoice, signal))
    const tooMany = all.length > maxFiles ? [`[${all.length - maxFiles} more files were not fetched.]`] : []
    const notes = [...got.filter((one) => typeof one === 'string'), ...tooMany]
    return {
      ...message,
      text: [message.text, ...notes].filter(Boolean).join('\n\n'),
      attachments: got.filter((one) => typeof one !== 'string'),
    }
  }
}

async function download(
  url: string,
  { send, roots }: Pick<FileSources, 'send' | 'roots'>,
  signal: AbortSignal,
): Promise<Buffer> {
  if (!roots.some((root) => url.startsWith(root))) throw new Error('the file is not on a host of Discord')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)])
  const response = await send(url, { signal: limit })
  if (!response.isOk) {
    response.discard()
    throw new Error(`Discord does not give the file (status ${response.status})`)
  }
  const bytes = await response.read(maxBytes)
  if (!bytes) throw new Error('the file is larger than was said')
  return bytes
}

/** What is sent as a picture and is none is kept as it is. */
async function keep(
  { filename: name, content_type: type }: DiscordAttachment,
  bytes: Buffer,
  isVoice: boolean,
  { home }: Pick<PlatformHost, 'home'>,
): Promise<InboundAttachment> {
  const mimeType = type?.split(';')[0]?.trim() ?? ''
  const file = { bytes, name, ...(mimeType !== '' && { mimeType }) }
  try {
    return await saveInbound({ ...file, kind: kindOf(mimeType, isVoice) }, { home })
  } catch (error) {
    if (!(error instanceof InboundFileError) || error.code !== 'no-image') throw error
    return saveInbound({ ...file, kind: 'document' }, { home })
  }
}

function kindOf(mimeType: string, isVoice: boolean): InboundAttachment['kind'] {
  const [kind] = mimeType.split('/')
  if (kind === 'audio') return isVoice ? 'voice' : 'audio'
  return kind === 'image' || kind === 'video' ? kind : 'document'
}
