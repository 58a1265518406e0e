import { askAuxiliary } from '../agent/auxiliary.ts'
import { ModelError } from '../models/model-error.ts'
import type { ToolContext } from '../tools/tool.ts'
import { shrinkImage } from './shrink-image.ts'
import type { Image } from './shrink-image.ts'

/** Images longer than this as base64 are made smaller before they are sent, bytes. */
const maxBase64Bytes = 20 * 1024 * 1024

/** What every model takes as base64, bytes. */
const smallBase64Bytes = 5 * 1024 * 1024

const maxOutputTokens = 2_000

/** Asks the model that looks at images (`auxiliary.vision`). Throws `ModelError` or `ImageError`. */
export async function analyzeImage(image: Image, prompt: string, context: ToolContext): Promise<string> {
  const { agent, session, turn, signal } = context
  const ask = async ({ bytes, mediaType }: Image) =>
    askAuxiliary(
      {
        task: 'vision',
        messages: [{ role: 'user', content: prompt, images: [{ mediaType, data: bytes.toString('base64') }] }],
        maxOutputTokens,
        sessionId: session.sessionId,
        main: turn.model,
      },
      agent,
      signal,
    )
  const small = () => shrinkImage(image, bytesIn(smallBase64Bytes))
  const mustShrink = image.bytes.length > bytesIn(maxBase64Bytes) || image.mediaType === 'image/svg+xml'
  if (mustShrink) return ask(await small())
  try {
    return await ask(image)
  } catch (error) {
    if (image.bytes.length <= bytesIn(smallBase64Bytes) || !isAboutSize(error)) throw error
    context.progress('The image is too large for the model; a smaller one is sent')
    return ask(await small())
  }
}

/** Some providers tell of images that are too large by the same words as of any wrong request. */
function isAboutSize(error: unknown): boolean {
  return (
    error instanceof ModelError && ['payload-too-large', 'context-overflow', 'invalid-request'].includes(error.code)
  )
}

/** How many bytes make so many of base64. */
function bytesIn(base64Bytes: number): number {
  return Math.floor((base64Bytes * 3) / 4)
}
