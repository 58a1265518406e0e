// https://elevenlabs.io/docs/api-reference/text-to-speech/convert
import { createServiceClient, servicePath } from '../../services/service-client.ts'
import type { SpeechProvider } from '../speech-provider.ts'
import { maxSpeechBytes, speechTimeoutMs } from '../speech-provider.ts'

/** Its Opus comes in an Ogg file. */
const formats = { mp3: 'mp3_44100_128', opus: 'opus_48000_64' } as const

export const elevenlabs: SpeechProvider = {
  name: 'elevenlabs',
  formats: ['mp3', 'opus'],
  missing: async ({ environment }) => (environment['ELEVENLABS_API_KEY'] ? undefined : 'ELEVENLABS_API_KEY is not set'),
  async speak({ text, format, path }, { settings, environment }, signal) {
    const { voice_id: voice, model_id: model } = settings.elevenlabs
    const client = createServiceClient({
      service: 'ElevenLabs',
      baseUrl: environment['ELEVENLABS_BASE_URL'] || 'https://api.elevenlabs.io',
      auth: { header: 'xi-api-key', key: environment['ELEVENLABS_API_KEY'] ?? '' },
      keyHint: 'Check ELEVENLABS_API_KEY in .env.',
      environment,
      timeoutMs: speechTimeoutMs,
    })
    await client.download(
      {
        method: 'POST',
        path: servicePath`/v1/text-to-speech/${voice}`,
        query: { output_format: formats[format === 'opus' ? 'opus' : 'mp3'] },
        body: { text, model_id: model },
        headers: { accept: 'audio/*' },
      },
      { path, maxBytes: maxSpeechBytes },
      signal,
    )
  },
}
