import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../services/service-error.ts'
import { audioKind } from './audio-kind.ts'
import { canConvert, convertAudio } from './convert-audio.ts'
import type { Recognizer, RecognizerSources } from './recognizer.ts'

/**
 * The recording as a recogniser takes it: itself, or what ffmpeg makes of it in `folder`, where its kind or its size is not
 * taken. Throws `ServiceError` where that cannot be.
 */
export async function fittingRecording(
  {
    path,
    folder,
    recognizer,
    environment,
  }: {
    readonly path: string
    readonly folder: string
    readonly recognizer: Recognizer
  } & Pick<RecognizerSources, 'environment'>,
  signal: AbortSignal,
): Promise<string> {
  const kind = audioKind(path)
  const isTaken = recognizer.takes.has(kind)
  const { size } = await stat(path)
  if (isTaken && size <= recognizer.maxBytes) return path
  const encoding = recognizer.takes.has('ogg') ? 'opus' : 'wav'
  if (!(await canConvert(environment))) {
    const what = isTaken ? `has ${size} bytes, more than ${recognizer.maxBytes}` : `is .${kind}`
    throw new ServiceError('refused', `The recording ${what}, and ffmpeg, which would convert it, is not installed.`)
  }
  const converted = join(folder, encoding === 'opus' ? 'recording.ogg' : 'recording.wav')
  await convertAudio({ from: path, to: converted, encoding, environment }, signal)
  const { size: newSize } = await stat(converted)
  if (newSize <= recognizer.maxBytes || recognizer.isLocal) return converted
  throw new ServiceError('too-large', `The recording is too long for ${recognizer.name}: ${newSize} bytes.`)
}
