import { toBase64 } from './base64.ts'
import type { MediaMessage } from './types.ts'

/** A file as a `data:` URL, to be shown without being saved. */
export function dataUrl({ mime, data }: Pick<MediaMessage, 'mime' | 'data'>): string {
  return `data:${mime || 'application/octet-stream'};base64,${toBase64(data)}`
}
