import { fileURLToPath } from 'node:url'
import { checkRead, fileRules, openChecked } from '../security/file-safety.ts'
import { createGuardedFetch } from '../security/network/guarded-fetch.ts'
import type { ToolContext } from '../tools/tool.ts'
import { ImageError } from './image-error.ts'
import { imageType } from './image-type.ts'
import type { Image } from './shrink-image.ts'

/** Largest image that is read or fetched, bytes. */
export const maxImageBytes = 50 * 1024 * 1024

/**
 * The image of a web address, a `file://` URL or a path, its kind told by its bytes. Throws `ImageError`, `NetworkError`,
 * `FileSafetyError` or the system's own errors; when the context's signal aborts, its reason.
 */
export async function loadImage(
  place: string,
  context: Pick<ToolContext, 'agent' | 'session' | 'signal'>,
): Promise<Image> {
  const isWeb = /^https?:/i.test(place)
  const bytes = isWeb ? await fetched(place, context) : await read(place, context)
  const mediaType = imageType(bytes)
  if (mediaType === undefined) {
    throw new ImageError('kind', 'That is no image of a kind that is known: PNG, JPEG, GIF, BMP, WebP, SVG.')
  }
  return { bytes, mediaType }
}

async function fetched(url: string, { agent, signal }: Pick<ToolContext, 'agent' | 'signal'>): Promise<Buffer> {
  const { home, environment, config } = agent
  const web = createGuardedFetch({ home, environment, settings: config.security })
  const totalMs = config.auxiliary.vision.download_timeout * 1000
  const headers = { accept: 'image/*,*/*;q=0.5' }
  await using response = await web.fetch({ url, headers, limits: { maxBytes: maxImageBytes, totalMs } }, signal)
  if (response.status < 200 || response.status > 299) {
    throw new ImageError('status', `${new URL(response.url).host} answered with status ${response.status}`)
  }
  return response.bytes()
}

async function read(place: string, context: Pick<ToolContext, 'agent' | 'session'>): Promise<Buffer> {
  const checked = await checkRead(pathOf(place), fileRules(context))
  const { stats, asked } = checked
  if (!stats) throw new ImageError('missing', `File not found: ${asked}`)
  if (stats.isDirectory()) throw new ImageError('kind', `${asked} is a folder, not an image.`)
  if (stats.size > maxImageBytes) {
    throw new ImageError('too-large', `${asked} has ${stats.size} bytes; at most ${maxImageBytes} are read.`)
  }
  await using file = await openChecked(checked)
  return file.readFile()
}

function pathOf(place: string): string {
  if (!/^file:/i.test(place)) return place
  try {
    return fileURLToPath(place)
  } catch (error) {
    throw new ImageError('missing', `${place} names no file of this machine.`, { cause: error })
  }
}
