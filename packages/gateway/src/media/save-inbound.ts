import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import type { InboundAttachment } from '../messages/inbound-message.ts'
import { cacheFolder } from './cache-folder.ts'
import type { CacheName } from './cache-folder.ts'
import { imageExtension } from './image-signature.ts'

/** Largest file that is kept, bytes. */
export const maxInboundBytes = 64 * 1024 * 1024

/** Longest name of a document that is kept, characters. */
const maxNameChars = 100

export interface InboundFile {
  readonly kind: InboundAttachment['kind']
  readonly bytes: Uint8Array
  /** As the service tells it; what it lacks is found by the name. */
  readonly mimeType?: string
  /** As the person named it. */
  readonly name?: string
}

/** A file that came with a message is not kept. The message says why, for people. */
export class InboundFileError extends Error {
  override readonly name = 'InboundFileError'
  readonly code: 'too-large' | 'no-image' | 'empty'

  constructor(code: InboundFileError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Keeps a file that came with a message, in a folder that is tidied after a day. Adapters call it before they hand the
 * message over. Throws `InboundFileError`.
 */
export async function saveInbound(
  { bytes, ...file }: InboundFile,
  { home }: { readonly home: Home },
): Promise<InboundAttachment> {
  const attachment = await placeOf(file, { size: bytes.length, head: bytes }, home)
  await writeFile(attachment.path, bytes, { mode: 0o600, flag: 'wx' })
  return attachment
}

/** The same for a file of ours, of any size that is kept, which is moved. */
export async function adoptInbound(
  path: string,
  file: Omit<InboundFile, 'bytes'>,
  { home }: { readonly home: Home },
): Promise<InboundAttachment> {
  const attachment = await placeOf(file, await beginningOf(path), home)
  await rename(path, attachment.path)
  return attachment
}

interface Beginning {
  readonly size: number
  /** Its first bytes, at least those that tell an image. */
  readonly head: Uint8Array
}

async function beginningOf(path: string): Promise<Beginning> {
  await using handle = await open(path)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0)
  return { size: (await handle.stat()).size, head: buffer.subarray(0, bytesRead) }
}

/** Where a file is kept, and what it is. */
async function placeOf(
  { kind, mimeType, name }: Omit<InboundFile, 'bytes'>,
  { size, head }: Beginning,
  home: Home,
): Promise<InboundAttachment> {
  if (size === 0) throw new InboundFileError('empty', 'The file is empty.')
  if (size > maxInboundBytes) {
    throw new InboundFileError('too-large', `The file is larger than ${maxInboundBytes / 1024 / 1024} MB.`)
  }
  const image = kind === 'image' ? imageExtension(head) : undefined
  if (kind === 'image' && image === undefined) throw new InboundFileError('no-image', 'The file is no image.')
  const own = safeName(name)
  const folder = await cacheFolder(home, cacheOf[kind])
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const id = randomBytes(6).toString('hex')
  const type = mimeType || mimeOf(own ?? '', kind)
  const path = join(folder, fileName({ kind, id, own, extension: image ?? extensionOf(own, type) }))
  return {
    kind,
    path,
    mimeType: image === undefined ? type : (imageTypes[image] ?? type),
    ...(own !== undefined && { name: own }),
  }
}

const cacheOf: Readonly<Record<InboundAttachment['kind'], CacheName>> = {
  image: 'images',
  audio: 'audio',
  voice: 'audio',
  video: 'documents',
  document: 'documents',
}

function fileName(file: {
  readonly kind: InboundAttachment['kind']
  readonly id: string
  readonly own: string | undefined
  readonly extension: string
}): string {
  const { kind, id, own, extension } = file
  if (kind === 'image') return `img_${id}${extension}`
  if (kind === 'audio' || kind === 'voice') return `audio_${id}${extension}`
  return `doc_${id}_${own ?? `${kind}${extension}`}`
}

/** The last part of a name alone, so that it leads nowhere else. */
function safeName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const last = basename(name.replaceAll('\\', '/').replaceAll(/\p{Cc}/gu, '')).trim()
  if (last === '' || last === '.' || last === '..') return 'document'
  if (last.length <= maxNameChars) return last.toWellFormed()
  const extension = extname(last).slice(0, 16)
  return `${last.slice(0, maxNameChars - extension.length)}${extension}`.toWellFormed()
}

const types: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.ini': 'text/plain',
  '.cfg': 'text/plain',
  '.toml': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.ogg': 'audio/ogg',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
}

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
}

const usual: Readonly<Record<InboundAttachment['kind'], string>> = {
  image: 'image/jpeg',
  audio: 'audio/mpeg',
  voice: 'audio/ogg',
  video: 'video/mp4',
  document: 'application/octet-stream',
}

function mimeOf(name: string, kind: InboundAttachment['kind']): string {
  return types[extname(name).toLowerCase()] ?? usual[kind]
}

function extensionOf(name: string | undefined, mimeType: string): string {
  const own = name === undefined ? '' : extname(name).toLowerCase()
  const plain = mimeType.split(';')[0]?.trim()
  return own || (Object.entries(types).find(([, type]) => type === plain)?.[0] ?? '')
}
