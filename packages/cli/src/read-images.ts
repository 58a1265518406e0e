import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { ImagePart } from '@hermes/core/models/transcript.ts'
import { CommandError } from './command.ts'

/** Largest image that is attached, bytes. */
const maxImageBytes = 20 * 1024 * 1024

/** How image files begin (their signatures, by the formats' specifications). */
const signatures: readonly (readonly [mediaType: string, test: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff],
  ['image/gif', (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString('latin1'))],
  [
    'image/webp',
    (bytes) =>
      bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP',
  ],
]

/** Loads images for a message, their kind told by their first bytes. Throws `CommandError` for anything else. */
export async function readImages(paths: readonly string[]): Promise<readonly ImagePart[] | undefined> {
  if (paths.length === 0) return undefined
  return Promise.all(
    paths.map(async (path) => {
      await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
      if ((await file.stat()).size > maxImageBytes) throw new CommandError(`${path} is larger than 20 MiB.`)
      const bytes = await file.readFile()
      const mediaType = signatures.find(([, test]) => test(bytes))?.[0]
      if (!mediaType) throw new CommandError(`${path} is no PNG, JPEG, GIF or WebP image.`)
      return { mediaType, data: bytes.toString('base64') }
    }),
  )
}
