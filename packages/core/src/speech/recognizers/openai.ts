// https://platform.openai.com/docs/api-reference/audio/createTranscription
import { openaiAudioKey, openaiAudioKeyHint, openaiUrl } from '../openai-audio.ts'
import type { Recognizer, RecognizerSources } from '../recognizer.ts'
import { maxRecordingBytes } from '../recognizer.ts'
import { recognizeBy, serviceFormats } from './service.ts'

export const openai: Recognizer = {
  name: 'openai',
  takes: serviceFormats,
  maxBytes: maxRecordingBytes,
  missing: async (sources) =>
    keyOf(sources) || sources.settings.openai.base_url
      ? undefined
      : 'VOICE_TOOLS_OPENAI_KEY (or OPENAI_API_KEY) is not set',
  recognize: (path, sources, signal) => {
    const { settings, environment } = sources
    return recognizeBy(
      {
        service: 'OpenAI',
        baseUrl: settings.openai.base_url || openaiUrl,
        key: keyOf(sources),
        keyHint: openaiAudioKeyHint,
        model: settings.openai.model,
        environment,
      },
      path,
      signal,
    )
  },
}

function keyOf({ settings, environment }: RecognizerSources): string | undefined {
  return settings.openai.api_key || openaiAudioKey(environment)
}
