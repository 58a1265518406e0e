import { openAsBlob } from 'node:fs'
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import { usualName } from '../audio-kind.ts'
import type { RecognizerSources } from '../recognizer.ts'

const timeoutMs = 300_000

/** What the services of OpenAI, Groq and Mistral take, besides what they take only in part. */
export const serviceFormats: ReadonlySet<string> = new Set('mp3 mp4 mpeg mpga m4a wav webm ogg flac'.split(' '))

export interface RecognitionService extends Pick<RecognizerSources, 'environment'> {
  readonly service: string
  readonly baseUrl: string
  readonly key: string | undefined
  readonly keyHint: string
  readonly model: string
  /** Found by itself when empty. */
  readonly language?: string
}

/** Asks a service that speaks OpenAI's wire: a form with the file. */
export async function recognizeBy(service: RecognitionService, path: string, signal: AbortSignal): Promise<string> {
  const { key, model, language, environment } = service
  const client = createServiceClient({
    service: service.service,
    baseUrl: service.baseUrl,
    ...(key !== undefined && { auth: { scheme: 'Bearer', key } }),
    keyHint: service.keyHint,
    environment,
    timeoutMs,
  })
  const form = new FormData()
  form.set('file', await openAsBlob(path), usualName(path))
  form.set('model', model)
  if (language) form.set('language', language)
  const { text } = await client.call(
    z.looseObject({ text: z.string() }),
    { method: 'POST', path: '/audio/transcriptions', body: form },
    signal,
  )
  return text
}
