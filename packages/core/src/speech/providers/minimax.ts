// https://platform.minimax.io/docs/api-reference/speech-t2a-http. Its failures come with status 200 and a code inside.
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import { ServiceError } from '../../services/service-error.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import type { SpeechProvider } from '../speech-provider.ts'
import { maxSpeechBytes, speechTimeoutMs } from '../speech-provider.ts'

const endpoint = '/v1/t2a_v2'
const answer = z.looseObject({
  data: z.looseObject({ audio: z.string().regex(/^[0-9a-f]*$/i) }).nullish(),
  base_resp: z.looseObject({ status_code: z.int(), status_msg: z.string().nullish() }).nullish(),
})

export const minimax: SpeechProvider = {
  name: 'minimax',
  formats: ['mp3', 'wav'],
  missing: async ({ environment }) => (environment['MINIMAX_API_KEY'] ? undefined : 'MINIMAX_API_KEY is not set'),
  async speak({ text, format, path }, { settings, environment }, signal) {
    const { model, voice_id: voice, vol, pitch, base_url: baseUrl } = settings.minimax
    const key = environment['MINIMAX_API_KEY'] ?? ''
    const client = createServiceClient({
      service: 'MiniMax',
      // People set the whole address, as its documentation shows it, or its beginning.
      baseUrl: (baseUrl || 'https://api.minimax.io').replace(/\/+$/, '').replace(/(?:\/v1)?(?:\/t2a_v2)?$/, ''),
      auth: { scheme: 'Bearer', key },
      keyHint: 'Check MINIMAX_API_KEY in .env.',
      environment,
      timeoutMs: speechTimeoutMs,
    })
    const body = {
      model: model || 'speech-2.8-hd',
      text,
      stream: false,
      voice_setting: {
        voice_id: voice || 'English_Graceful_Lady',
        speed: settings.minimax.speed || settings.speed,
        vol,
        pitch,
      },
      audio_setting: { sample_rate: 32_000, bitrate: 128_000, format, channel: 1 },
    }
    const { data, base_resp: outcome } = await client.call(
      answer,
      { method: 'POST', path: endpoint, body, maxAnswerBytes: maxSpeechBytes },
      signal,
    )
    if (outcome && outcome.status_code !== 0) throw refusal(outcome.status_code, outcome.status_msg ?? '', key)
    if (!data?.audio) throw new ServiceError('malformed', 'MiniMax sent no audio.')
    await writeFileAtomic(path, Buffer.from(data.audio, 'hex'))
  },
}

/** https://platform.minimax.io/docs/api-reference/errorcode */
function refusal(code: number, said: string, key: string): ServiceError {
  const words = said.replaceAll(key, '***').slice(0, 300)
  if (code === 1004 || code === 2049) {
    return new ServiceError(
      'auth',
      `MiniMax refused the key (${code}). Check MINIMAX_API_KEY in .env. It says: ${words}`,
    )
  }
  return new ServiceError(code === 1002 ? 'rate-limited' : 'refused', `MiniMax refused the request (${code}): ${words}`)
}
