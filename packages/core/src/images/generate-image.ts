import { z } from 'zod'
import { ServiceError } from '../services/service-error.ts'
import type { FalQueue } from './fal-queue.ts'

const model = 'fal-ai/flux-2-pro'
const upscaler = 'fal-ai/clarity-upscaler'
const generateMs = 300_000
const upscaleMs = 180_000

/** FAL's names of the shapes that can be asked for. */
const sizes = { landscape: 'landscape_16_9', square: 'square_hd', portrait: 'portrait_16_9' } as const

export type AspectRatio = keyof typeof sizes

const image = z.object({ url: z.url({ protocol: /^https?$/ }) })

export interface GeneratedImage {
  readonly url: string
  /** Why it is not twice as large, where that failed. */
  readonly notUpscaled?: string
}

export interface ImageWish {
  readonly prompt: string
  readonly aspectRatio: AspectRatio
  readonly queue: FalQueue
  /** Tells people what happens. */
  readonly progress: (text: string) => void
}

/** Makes an image and doubles its size; the original where only that fails. Throws `ServiceError`. */
export async function generateImage(wish: ImageWish, signal: AbortSignal): Promise<GeneratedImage> {
  const { prompt, aspectRatio, queue, progress } = wish
  const { images } = await queue.run(
    {
      model,
      input: {
        prompt,
        image_size: sizes[aspectRatio],
        num_inference_steps: 50,
        guidance_scale: 4.5,
        num_images: 1,
        output_format: 'png',
        enable_safety_checker: false,
      },
      result: z.object({ images: z.array(image) }),
      timeoutMs: generateMs,
      onState: (position) => progress(stateText(position)),
    },
    signal,
  )
  const [made] = images
  if (!made) throw new ServiceError('malformed', 'FAL made no image.')
  try {
    progress('Making the image larger')
    const { image: larger } = await queue.run(
      {
        model: upscaler,
        input: { image_url: made.url, prompt, upscale_factor: 2 },
        result: z.object({ image }),
        timeoutMs: upscaleMs,
      },
      signal,
    )
    return { url: larger.url }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { url: made.url, notUpscaled: error.message }
  }
}

function stateText(position: number | undefined): string {
  if (position === undefined) return 'Making the image'
  return position === 0 ? 'Waiting for FAL' : `Waiting for FAL: ${position} before this one`
}
