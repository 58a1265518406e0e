// https://console.groq.com/docs/speech-to-text
import type { Recognizer } from '../recognizer.ts'
import { maxRecordingBytes } from '../recognizer.ts'
import { recognizeBy, serviceFormats } from './service.ts'

export const groq: Recognizer = {
  name: 'groq',
  takes: serviceFormats,
  maxBytes: maxRecordingBytes,
  missing: async ({ environment }) => (environment['GROQ_API_KEY'] ? undefined : 'GROQ_API_KEY is not set'),
  recognize: (path, { settings, environment }, signal) =>
    recognizeBy(
      {
        service: 'Groq',
        baseUrl: environment['GROQ_BASE_URL'] || 'https://api.groq.com/openai/v1',
        key: environment['GROQ_API_KEY'],
        keyHint: 'Check GROQ_API_KEY in .env.',
        model: settings.groq.model,
        environment,
      },
      path,
      signal,
    ),
}
