import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '@hermes/core/agent/clock.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { imageExtension } from '../../media/image-signature.ts'
import { freeBytes, isNoRoom, spareBytes } from '../../media/disk-room.ts'
import { mimeOfFile } from '../../media/mime-of-file.ts'
import type { OutboundPart } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { StoredAttachment, StoredAttachments } from './store/stored-attachments.ts'

/** Largest file that is copied, bytes. */
const maxBytes = 512 * 1024 * 1024

/** Bytes that are copied at a time. */
const pieceBytes = 1024 * 1024

/** Longest name that clients are told, characters. */
const maxNameChars = 200

const dayMs = 24 * 3_600_000

/** What nobody should take for more than bytes. */
const unknownType = 'application/octet-stream'

export const attachmentId = /^[0-9a-f]{32}$/

/** A copy, or one that was not finished. */
const copyName = /^([0-9a-f]{32})(?:\.part)?$/

export interface NewAttachment {
  /** The same for the same file of the same answer. */
  readonly key: string
  readonly conversationId: string
  readonly messageId: string | undefined
  readonly part: Extract<OutboundPart, { type: 'file' }>
}

/** Copies of the files that the agent has made, under ids that say nothing about where a file lies. */
export interface Attachments {
  /** Copies a file. Undefined where it was added before. Throws `PlatformError` where it cannot be had. */
  add(attachment: NewAttachment, signal: AbortSignal): Promise<StoredAttachment | undefined>
  /** A copy that can be fetched: what is known of it, and where it is. */
  find(id: string): Promise<{ readonly stored: StoredAttachment; readonly path: string } | undefined>
  of(conversationId: string): Promise<readonly StoredAttachment[]>
  /** Removes copies whose time is over, and what crashes have left. */
  tidy(): Promise<void>
}

export interface AttachmentsOptions {
  readonly home: Home
  readonly stored: StoredAttachments
  readonly clock: Clock
  /** 0: for ever. */
  readonly retentionDays: number
  /** Bytes that may still be written in a folder: others for tests. */
  readonly freeBytes?: (folder: string) => Promise<number>
}

export async function openAttachments(options: AttachmentsOptions): Promise<Attachments> {
  const { home, stored, clock, retentionDays } = options
  const roomIn = options.freeBytes ?? freeBytes
  const folder = home.path('pheby', 'attachments')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  /** Ids of copies that are being made, which are not known yet. */
  const making = new Set<string>()

  async function make({ key, conversationId, messageId, part }: NewAttachment, id: string, signal: AbortSignal) {
    const room = (await roomIn(folder)) - spareBytes
    const copied = await copy(part, { to: join(folder, id), room }, signal)
    const createdAt = clock.now()
    const attachment: StoredAttachment = {
      id,
      key,
      conversationId,
      messageId,
      filename: shownName(part.path),
      ...copied,
      createdAt,
      expiresAt: retentionDays === 0 ? undefined : createdAt + retentionDays * dayMs,
    }
    await stored.add(attachment)
    return attachment
  }

  return {
    async add(attachment, signal) {
      if (await stored.findByKey(attachment.key)) return undefined
      const id = randomBytes(16).toString('hex')
      making.add(id)
      try {
        return await make(attachment, id, signal)
      } finally {
        making.delete(id)
      }
    },
    async find(id) {
      const found = attachmentId.test(id) ? await stored.find(id) : undefined
      return found && { stored: found, path: join(folder, found.id) }
    },
    of: (conversationId) => stored.of(conversationId),
    async tidy() {
      const names = await readdir(folder)
      const made = new Set(making)
      const known = await stored.tidy()
      for (const name of names) {
        const id = copyName.exec(name)?.[1]
        if (id !== undefined && !known.has(id) && !made.has(id)) await rm(join(folder, name), { force: true })
      }
    },
  }
}

/** Copies what is there now, links not followed, and looks at what it is. */
async function copy(
  { path, kind }: NewAttachment['part'],
  { to, room }: { readonly to: string; readonly room: number },
  signal: AbortSignal,
): Promise<Pick<StoredAttachment, 'size' | 'mimeType' | 'kind'>> {
  await using source = await openFile(path)
  const stats = await source.stat()
  if (!stats.isFile()) throw new PlatformError('refused', 'It is no file.')
  if (stats.size > maxBytes) throw new PlatformError('refused', `The file is larger than ${maxBytes} bytes.`)
  if (stats.size > room) throw noRoom()
  const head = Buffer.alloc(12)
  await source.read(head, 0, head.length, 0)
  const image = imageExtension(head)
  const isImage = kind === 'image' && image !== undefined
  const partial = `${to}.part`
  try {
    await using target = await open(partial, 'wx', 0o600)
    // Not more than was there when it was measured, should it still grow.
    await copyBytes(source, target, stats.size, signal)
    const { size } = await target.stat()
    await target.sync()
    await rename(partial, to)
    // What is called an image and is none is a document, which no client shows by itself.
    return {
      size,
      kind: kind === 'image' && !isImage ? 'document' : kind,
      mimeType: isImage ? mimeOfFile(image, 'image') : kind === 'image' ? unknownType : mimeOfFile(path, kind),
    }
  } catch (error) {
    await rm(partial, { force: true })
    throw isNoRoom(error) ? noRoom(error) : error
  }
}

/** It has certainly not arrived, and is tried again until there is room. */
function noRoom(cause?: unknown): PlatformError {
  return new PlatformError('unreachable', 'There is no room for a copy of the file on the disk.', { cause })
}

async function copyBytes(source: FileHandle, target: FileHandle, size: number, signal: AbortSignal): Promise<void> {
  const buffer = Buffer.alloc(Math.min(size, pieceBytes))
  for (let at = 0; at < size;) {
    signal.throwIfAborted()
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, size - at), at)
    if (bytesRead === 0) return
    await target.writeFile(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw new PlatformError('refused', 'The file cannot be read any more.', { cause: error })
  }
}

function shownName(path: string): string {
  const name = basename(path).replaceAll(/\p{Cc}/gu, '')
  return name.slice(0, maxNameChars).toWellFormed() || 'file'
}
