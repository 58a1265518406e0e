import { z } from 'zod'
import { createFalQueue } from '../images/fal-queue.ts'
import { generateImage } from '../images/generate-image.ts'
import { ServiceError } from '../services/service-error.ts'
import { lastProgress } from './last-progress.ts'
import { defineTool, jsonResult } from './tool.ts'

const input = z.object({
  prompt: z.string().describe('What the image shows, in detail'),
  aspect_ratio: z.enum(['landscape', 'square', 'portrait']).default('landscape'),
})

export const imageGenerate = defineTool({
  name: 'image_generate',
  toolset: 'image_gen',
  description:
    'Make a picture from a description. Returns its URL; show it to the user as a Markdown image: ![description](URL).',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ prompt }) => prompt,
  async run({ prompt, aspect_ratio: aspectRatio }, { agent, signal, progress }) {
    if (prompt.trim() === '') return failure('invalid_request', 'prompt is empty.')
    const key = agent.environment['FAL_KEY']
    if (!key) return failure('unconfigured', 'FAL_KEY is not set: put the key of fal.ai into .env.')
    try {
      const queue = createFalQueue({ key, environment: agent.environment })
      const wish = { prompt: prompt.trim(), aspectRatio, queue, progress: lastProgress(progress) }
      const { url, notUpscaled } = await generateImage(wish, signal)
      return jsonResult({ success: true, image: url, ...(notUpscaled !== undefined && { note: notUpscaled }) })
    } catch (error) {
      if (error instanceof ServiceError) return failure(error.code, agent.redactor.redact(error.message))
      throw error
    }
  },
})

function failure(type: string, error: string) {
  return jsonResult({ success: false, image: null, error, error_type: type }, 'error')
}
