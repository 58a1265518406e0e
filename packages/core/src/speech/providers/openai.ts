// https://platform.openai.com/docs/api-reference/audio/createSpeech
import { createServiceClient } from '../../services/service-client.ts'
import { openaiAudioKey, openaiAudioKeyHint, openaiUrl } from '../openai-audio.ts'
import type { SpeechProvider } from '../speech-provider.ts'
import { maxSpeechBytes, speechTimeoutMs } from '../speech-provider.ts'

export const openai: SpeechProvider = {
  name: 'openai',
  // Its Opus comes in an Ogg file.
  formats: ['mp3', 'opus', 'wav'],
  missing: async ({ environment, settings }) =>
    openaiAudioKey(environment) || settings.openai.base_url
      ? undefined
      : 'VOICE_TOOLS_OPENAI_KEY (or OPENAI_API_KEY) is not set',
  async speak({ text, format, path }, { settings, environment }, signal) {
    const { model, voice, base_url: baseUrl } = settings.openai
    const key = openaiAudioKey(environment)
    const client = createServiceClient({
      service: 'OpenAI',
      baseUrl: baseUrl || openaiUrl,
      ...(key !== undefined && { auth: { scheme: 'Bearer', key } }),
      keyHint: openaiAudioKeyHint,
      environment,
      timeoutMs: speechTimeoutMs,
    })
    const speed = settings.openai.speed || settings.speed
    await client.download(
      {
        method: 'POST',
        path: '/audio/speech',
        body: { model, voice, input: text, response_format: format, ...(speed !== 1 && { speed }) },
        headers: { accept: 'audio/*' },
      },
      { path, maxBytes: maxSpeechBytes },
      signal,
    )
  },
}
