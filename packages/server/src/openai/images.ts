import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { ImagePart } from '@hermes/core/models/transcript.ts'
import { imageType } from '@hermes/core/vision/image-type.ts'
import { HttpError } from '../http/http-error.ts'

const maxImageBytes = 20 * 1024 * 1024
const fetchMs = 30_000

/** The images that addresses name, `data:` or on the web. Throws `HttpError`; when `signal` aborts, its reason. */
export async function loadImages(
  urls: readonly string[],
  agent: AgentContext,
  signal: AbortSignal,
): Promise<readonly ImagePart[]> {
  return Promise.all(
    urls.map(async (url): Promise<ImagePart> => {
      const bytes = url.startsWith('data:') ? fromDataUrl(url) : await fetched(url, agent, signal)
      const mediaType = imageType(bytes)
      if (mediaType === undefined) throw badImage('This is no image of a kind that is known: PNG, JPEG, GIF, WebP.')
      return { mediaType, data: bytes.toString('base64') }
    }),
  )
}

/** As `loadImages`, without those that cannot be had any more: a conversation goes on without them. */
export async function loadThoseThatAreThere(
  urls: readonly string[],
  agent: AgentContext,
  signal: AbortSignal,
): Promise<readonly ImagePart[]> {
  const found = await Promise.allSettled(urls.map((url) => loadImages([url], agent, signal)))
  signal.throwIfAborted()
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

function fromDataUrl(url: string): Buffer {
  const [, encoded] = /^data:[^,]*;base64,([A-Za-z0-9+/=_\s-]*)$/.exec(url) ?? []
  if (encoded === undefined) throw badImage('A data URL of an image must be base64.')
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length > maxImageBytes) throw badImage(`An image has at most ${maxImageBytes} bytes.`)
  return bytes
}

async function fetched(url: string, { home, environment, config }: AgentContext, signal: AbortSignal): Promise<Buffer> {
  if (!/^https?:/i.test(url)) throw badImage('An image is a data URL or an address on the web.')
  const { createGuardedFetch } = await import('@hermes/core/security/network/guarded-fetch.ts')
  const { NetworkError } = await import('@hermes/core/security/network/network-error.ts')
  const web = createGuardedFetch({ home, environment, settings: config.security })
  try {
    const limits = { maxBytes: maxImageBytes, totalMs: fetchMs }
    await using response = await web.fetch({ url, headers: { accept: 'image/*' }, limits }, signal)
    if (response.status !== 200) throw badImage(`The image’s server answered with status ${response.status}.`)
    return await response.bytes()
  } catch (error) {
    if (error instanceof NetworkError) {
      throw new HttpError(400, 'invalid_image', `The image cannot be fetched: ${error.message}`, { cause: error })
    }
    throw error
  }
}

function badImage(message: string): HttpError {
  return new HttpError(400, 'invalid_image', message)
}
