import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '../config/home.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { dropOldest } from '../tools/result-limit.ts'

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
}

/** A file that a server has sent. */
export interface Media {
  readonly mimeType: string
  /** base64 */
  readonly data: string
}

/** Keeps it under `cache/mcp-media`, the newest two hundred. Resolves to a line that says what and where it is. */
export async function keepMedia(what: string, { mimeType, data }: Media, home: Home): Promise<string> {
  const bytes = Buffer.from(data, 'base64')
  const folder = home.path('cache', 'mcp-media')
  const ending = endings[mimeType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'bin'
  const file = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${ending}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFileAtomic(file, bytes, { mode: 0o600 })
  await dropOldest(folder)
  return `[${what} ${mimeType}, ${bytes.length} bytes, kept in ${file}]`
}
