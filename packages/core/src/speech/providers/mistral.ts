// https://docs.mistral.ai/api/endpoint/audio/speech
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import type { SpeechProvider } from '../speech-provider.ts'
import { maxSpeechBytes, speechTimeoutMs } from '../speech-provider.ts'

export const mistral: SpeechProvider = {
  name: 'mistral',
  formats: ['mp3', 'opus', 'wav'],
  missing: async ({ environment }) => (environment['MISTRAL_API_KEY'] ? undefined : 'MISTRAL_API_KEY is not set'),
  async speak({ text, format, path }, { settings, environment }, signal) {
    const client = createServiceClient({
      service: 'Mistral',
      baseUrl: environment['MISTRAL_BASE_URL'] || 'https://api.mistral.ai/v1',
      auth: { scheme: 'Bearer', key: environment['MISTRAL_API_KEY'] ?? '' },
      keyHint: 'Check MISTRAL_API_KEY in .env.',
      environment,
      timeoutMs: speechTimeoutMs,
    })
    const { model, voice_id: voice } = settings.mistral
    const { audio_data: audio } = await client.call(
      z.looseObject({ audio_data: z.base64().min(1) }),
      {
        method: 'POST',
        path: '/audio/speech',
        body: { model, input: text, voice_id: voice, response_format: format },
        maxAnswerBytes: maxSpeechBytes,
      },
      signal,
    )
    await writeFileAtomic(path, Buffer.from(audio, 'base64'))
  },
}
