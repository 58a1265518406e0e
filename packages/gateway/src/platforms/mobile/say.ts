import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, stat, unlink } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import type { OutboundPart } from '../../messages/outbound-message.ts'
import { mimeOfFile } from '../../media/mime-of-file.ts'
import { maxInboundBytes } from '../../media/save-inbound.ts'
import { PlatformError } from '../platform-error.ts'
import { chunkText } from './chunk-text.ts'
import type { DeliveryLog, ItemContent } from './delivery-log.ts'

/** Longest text of one frame, UTF-16 units. */
export const maxTextChars = 4_000
/** Largest file either way, bytes. */
export const maxMediaBytes = maxInboundBytes

export interface Saying {
  readonly deviceId: string
  /** The same for the same thing. */
  readonly key: string
  /** The reply ends with it. */
  readonly isFinal: boolean
  readonly replyTo?: string
}

/** Where what is said is kept. */
export interface SayingPlace {
  readonly log: DeliveryLog
  readonly home: Home
}

export function newId(): string {
  return randomBytes(12).toString('hex')
}

/** Keeps a text or a file for a device. Resolves to its id. Throws `PlatformError`. */
export async function say(part: OutboundPart, saying: Saying, { log, home }: SayingPlace): Promise<string> {
  const { deviceId, key } = saying
  if (part.type === 'text') return log.append(deviceId, textItems(part.text, saying), { key })
  const media = await mediaItem(part, saying, home)
  const id = await log.append(deviceId, [media.item], { key })
  // It was said before, so that this copy is one too many.
  if (id !== media.item.frame.id) await unlink(media.path)
  return id
}

/** Gives a message of ours its whole text; what does not fit into it follows. Throws `PlatformError`. */
export async function sayInstead(
  {
    id,
    text,
    deviceId,
    isFinal,
  }: Pick<Saying, 'deviceId' | 'isFinal'> & { readonly id: string; readonly text: string },
  { log }: Pick<SayingPlace, 'log'>,
): Promise<void> {
  if (!(await log.has(deviceId, id))) throw new PlatformError('gone', 'The message is not known any more.')
  const [first, ...rest] = textFrames(text, { id, isFinal })
  if (!first) return
  const pieces = [{ ...first, edit: true }, ...rest].map((frame): ItemContent => ({ kind: 'more', frame }))
  await log.append(deviceId, pieces, { key: `edit:${id}:${isFinal}` })
}

function textItems(text: string, { isFinal }: Pick<Saying, 'isFinal'>): readonly ItemContent[] {
  const frames = textFrames(text, { id: newId(), isFinal })
  return frames.map((frame, at) => ({ kind: at === 0 ? 'message' : 'more', frame }))
}

/** The pieces of a text, all of one id. */
function textFrames(text: string, { id, isFinal }: { readonly id: string; readonly isFinal: boolean }) {
  const pieces = chunkText(text, maxTextChars)
  const total = pieces.length
  return pieces.map((piece, index) => {
    const final = isFinal && index === total - 1
    return { t: 'message' as const, id, text: piece, index, total, final }
  })
}

async function mediaItem(
  part: Extract<OutboundPart, { type: 'file' }>,
  { replyTo }: Saying,
  home: Home,
): Promise<{ readonly item: Extract<ItemContent, { kind: 'media' }>; readonly path: string }> {
  // What was allowed is a file; a link or a pipe has been put in its place since.
  const stats = await lstat(part.path).catch((error: unknown) => {
    throw new PlatformError('refused', `The file ${basename(part.path)} cannot be read.`, { cause: error })
  })
  if (!stats.isFile()) throw new PlatformError('refused', `${basename(part.path)} is no file.`)
  const { size } = stats
  if (size > maxMediaBytes) {
    throw new PlatformError('refused', `${basename(part.path)} is larger than ${maxMediaBytes / 1024 / 1024} MB.`)
  }
  const id = newId()
  const folder = mediaFolder(home)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, id)
  // The file itself may change or go before a device that is away comes back.
  await copyFile(part.path, path, constants.COPYFILE_FICLONE)
  const { caption, kind } = part
  const item = {
    kind: 'media',
    frame: {
      t: 'media',
      id,
      kind: kind === 'image' && extname(part.path).toLowerCase() === '.gif' ? 'animation' : kind,
      mime: mimeOfFile(part.path, kind),
      size,
      filename: basename(part.path),
      path,
      ...(caption !== undefined && { caption }),
      ...(replyTo !== undefined && { reply_to: replyTo }),
    },
  } as const
  return { item, path }
}

function mediaFolder(home: Home): string {
  return home.path('cache', 'mobile', 'out')
}

/** Removes copies of files that nothing waits for. */
export async function tidyCopies({ log, home }: SayingPlace): Promise<void> {
  const folder = mediaFolder(home)
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  const wanted = await log.files()
  for (const name of names) {
    const path = join(folder, name)
    const stats = wanted.has(path) ? undefined : await stat(path)
    // One that is younger may be about to be noted.
    if (stats && Date.now() - stats.mtimeMs > 60_000) await unlink(path)
  }
}
