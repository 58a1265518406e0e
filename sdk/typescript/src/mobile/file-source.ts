import { platform } from '#platform'
import type { FileSource } from '../platform/platform.ts'
import { fromBase64 } from './base64.ts'
import type { Payload } from './types.ts'

const mimes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  m4a: 'audio/mp4',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  zip: 'application/zip',
}

/** Media type by the ending of a name. */
export function mimeOf(filename: string | undefined): string {
  const ending = filename?.split('.').at(-1)?.toLowerCase() ?? ''
  return (Object.hasOwn(mimes, ending) ? mimes[ending] : undefined) ?? 'application/octet-stream'
}

/** Ending of a name for a media type, with its dot; empty where none is known. */
export function endingOf(mime: string): string {
  const found = Object.entries(mimes).find(([, type]) => type === mime.split(';')[0]?.trim())
  return found ? `.${found[0]}` : ''
}

/** What a payload holds, to be read part by part. Throws `TypeError` where it holds nothing or is no base64. */
export async function sourceOf(payload: Payload): Promise<FileSource> {
  const source = await opened(payload)
  if (source.size === 0) throw new TypeError('The file is empty.')
  return source
}

async function opened(payload: Payload): Promise<FileSource> {
  if (payload instanceof Blob) return blobSource(payload)
  if (typeof payload !== 'string')
    return bytesSource(payload instanceof ArrayBuffer ? new Uint8Array(payload) : payload)
  const file = await platform.openPath(payload)
  if (file) return file
  try {
    return bytesSource(fromBase64(payload))
  } catch (error) {
    throw new TypeError('There is no such file, and it is no base64.', { cause: error })
  }
}

function blobSource(blob: Blob): FileSource {
  const name = 'name' in blob && typeof blob.name === 'string' ? blob.name : undefined
  return {
    size: blob.size,
    ...(name !== undefined && { filename: name }),
    ...(blob.type !== '' && { mime: blob.type }),
    read: async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer()),
  }
}

function bytesSource(bytes: Uint8Array): FileSource {
  return { size: bytes.length, read: async (from, to) => bytes.subarray(from, to) }
}
