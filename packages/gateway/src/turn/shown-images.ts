import { readFile, stat } from 'node:fs/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { ImagePart } from '@hermes/core/models/transcript.ts'
import type { InboundAttachment } from '../messages/inbound-message.ts'

/** Largest image that a model is shown, and largest sum of one request, bytes; most of them, the latest. */
const [maxImageBytes, maxBytes, maxImages] = [20 * 1024 * 1024, 40 * 1024 * 1024, 20]

export interface ImagesToShow {
  readonly images: readonly InboundAttachment[]
  /** What is said with them. */
  readonly text: string
  /** The model that is asked; the configured one when absent. */
  readonly model?: string | undefined
}

/**
 * Images as a model is shown them; none where it is known to see nothing. Messages name them all by their paths, so that what
 * is not shown, or gone, can be looked for.
 */
export async function shownImages(
  { images, text, model }: ImagesToShow,
  { models }: Pick<AgentContext, 'models'>,
  signal: AbortSignal,
): Promise<readonly ImagePart[]> {
  if (images.length === 0) return []
  const { seesImages } = await import('@hermes/core/models/sees-images.ts')
  const message = { text, hasAttachments: true, followsTools: false }
  // Why there is none is told by the turn.
  const resolved = await models.resolve(model, signal, message).catch(() => undefined)
  return resolved && !(await seesImages(resolved)) ? [] : read(images)
}

async function read(images: readonly InboundAttachment[]): Promise<readonly ImagePart[]> {
  const shown: ImagePart[] = []
  let room = maxBytes
  for (const { path, mimeType } of images.slice(-maxImages).toReversed()) {
    const size = (await stat(path).catch(() => undefined))?.size ?? Infinity
    if (size > Math.min(maxImageBytes, room)) continue
    const bytes = await readFile(path).catch(() => undefined)
    if (!bytes) continue
    room -= bytes.length
    shown.unshift({ mediaType: mimeType, data: bytes.toString('base64') })
  }
  return shown
}
