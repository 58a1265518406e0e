// The public APIs of services that speak and that recognise speech:
// https://elevenlabs.io/docs/api-reference/text-to-speech/convert
// https://platform.openai.com/docs/api-reference/audio (Groq's is the same: https://console.groq.com/docs/speech-to-text)
// https://platform.minimax.io/docs/api-reference/speech-t2a-http
// https://docs.mistral.ai/api/endpoint/audio
import { z } from 'zod'
import { bareRoute, ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply, Route, StandInService } from '../memory-services/stand-in.ts'

export const speechKey = 'speech-stand-in-key'

/** A stand-in of a service of speech; audio is the text behind the name of its format. */
export interface StandInSpeech extends StandInService {
  readonly key: string
}

const file = z.object({ name: z.string(), type: z.string(), bytes: z.instanceof(Uint8Array) })
const form = z.object({
  file,
  model: z.string().min(1),
  language: z.string().optional(),
  response_format: z.enum(['json', 'text', 'verbose_json']).optional(),
})

const sound = (format: string, text: string): Reply => ({
  status: 200,
  body: Buffer.from(`${format}:${text}`),
  headers: { 'content-type': 'audio/mpeg' },
})

const speechBody = z.object({
  model: z.string().min(1),
  voice: z.string().min(1),
  input: z.string().min(1).max(4096),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).default('mp3'),
  speed: z.number().min(0.25).max(4).optional(),
})

const transcription = route('POST', '/v1/audio/transcriptions', form, ({ body }) =>
  ok({ text: ` ${body.model} heard ${body.file.name}: ${Buffer.from(body.file.bytes).toString('utf8').slice(0, 40)}` }),
)

const routes: Readonly<Record<'elevenlabs' | 'openai' | 'minimax' | 'mistral', readonly Route[]>> = {
  elevenlabs: [
    route(
      'POST',
      '/v1/text-to-speech/:voice',
      z.object({ text: z.string().min(1), model_id: z.string() }),
      ({ query, body }) => sound(query.get('output_format') ?? 'mp3_44100_128', body.text),
    ),
  ],
  openai: [
    route('POST', '/v1/audio/speech', speechBody, ({ body }) => sound(body.response_format, body.input)),
    transcription,
    bareRoute('GET', '/v1/models', () => ok({ data: [] })),
  ],
  minimax: [
    route(
      'POST',
      '/v1/t2a_v2',
      z.object({
        model: z.string(),
        text: z.string().min(1).max(10_000),
        stream: z.literal(false),
        voice_setting: z.object({ voice_id: z.string().min(1), speed: z.number(), vol: z.number(), pitch: z.int() }),
        audio_setting: z.object({ format: z.enum(['mp3', 'pcm', 'flac', 'wav']) }).loose(),
      }),
      ({ body }) => {
        const fine = { status_code: 0, status_msg: 'success' }
        if (body.text === 'limit') return ok({ base_resp: { status_code: 1002, status_msg: 'rate limit' } })
        const audio = Buffer.from(`${body.audio_setting.format}:${body.text}`).toString('hex')
        return ok({ data: { audio, status: 2 }, trace_id: 't', base_resp: fine })
      },
    ),
  ],
  mistral: [
    route(
      'POST',
      '/v1/audio/speech',
      z.object({
        model: z.string(),
        input: z.string().min(1),
        voice_id: z.string(),
        response_format: z.enum(['mp3', 'wav', 'opus', 'flac', 'pcm']),
      }),
      ({ body }) => ok({ audio_data: Buffer.from(`${body.response_format}:${body.input}`).toString('base64') }),
    ),
    transcription,
  ],
}

export async function startSpeech(service: keyof typeof routes): Promise<StandInSpeech> {
  const standIn = await startStandIn(routes[service], {
    authorize: ({ authorization, 'xi-api-key': key }) =>
      authorization === `Bearer ${speechKey}` || key === speechKey
        ? undefined
        : { status: 401, body: { error: { message: `Incorrect API key provided: ${authorization ?? String(key)}` } } },
    notFound: { status: 404, body: { error: { message: 'Not found' } } },
    invalid: (error) => ({ status: 400, body: { error: { message: z.prettifyError(error) } } }),
  })
  return Object.assign(standIn, { key: speechKey })
}
