// https://docs.mistral.ai/api/endpoint/audio/transcriptions
import type { Recognizer } from '../recognizer.ts'
import { maxRecordingBytes } from '../recognizer.ts'
import { recognizeBy, serviceFormats } from './service.ts'

export const mistral: Recognizer = {
  name: 'mistral',
  takes: serviceFormats,
  maxBytes: maxRecordingBytes,
  missing: async ({ environment }) => (environment['MISTRAL_API_KEY'] ? undefined : 'MISTRAL_API_KEY is not set'),
  recognize: (path, { settings, environment }, signal) =>
    recognizeBy(
      {
        service: 'Mistral',
        baseUrl: environment['MISTRAL_BASE_URL'] || 'https://api.mistral.ai/v1',
        key: environment['MISTRAL_API_KEY'],
        keyHint: 'Check MISTRAL_API_KEY in .env.',
        model: settings.mistral.model,
        environment,
      },
      path,
      signal,
    ),
}
