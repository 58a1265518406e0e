import { randomBytes } from 'node:crypto'
import { extname, join } from 'node:path'
import { z } from 'zod'
import { checkWrite, fileRules } from '../security/file-safety.ts'
import { ServiceError } from '../services/service-error.ts'
import { audioFolder } from '../speech/audio-folder.ts'
import { extensions, maxSpeechChars, speak } from '../speech/speak.ts'
import type { AudioFormat } from '../speech/speech-provider.ts'
import { answeringFileErrors } from './file-errors.ts'
import { defineTool, jsonResult } from './tool.ts'
import type { ToolContext } from './tool.ts'

const input = z.object({
  text: z.string().describe(`What is said, at most ${maxSpeechChars} characters`),
  output_path: z.string().optional().describe('File to write (.mp3, .ogg or .wav); one of its own when left out'),
})

export const textToSpeech = defineTool({
  name: 'text_to_speech',
  toolset: 'tts',
  description:
    'Speak a text into an audio file, in the voice that the user has set. Put the media_tag of the result into your answer as it is: chat platforms then send the audio.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ text }) => text,
  run: answeringFileErrors(async ({ text, output_path: wanted }, context) => {
    const { agent, signal, progress } = context
    const { environment, config, redactor } = agent
    const words = text.trim()
    if (words === '') return jsonResult({ success: false, error: 'text is empty.' }, 'error')
    const isCut = words.length > maxSpeechChars
    try {
      const place = await placeFor(wanted, context)
      progress('Speaking')
      const spoken = words.slice(0, maxSpeechChars).toWellFormed()
      const made = await speak({ text: spoken, ...place, settings: config.tts, environment }, signal)
      const isVoice = made.format === 'opus'
      const cutNote = isCut ? [`only the first ${maxSpeechChars} characters were spoken`] : []
      const notes = [...made.notes, ...cutNote].map((note) => redactor.redact(note))
      return jsonResult({
        success: true,
        file_path: made.path,
        media_tag: `${isVoice ? '[[audio_as_voice]]\n' : ''}MEDIA:${made.path}`,
        provider: made.provider,
        voice_compatible: isVoice,
        ...(notes.length > 0 && { note: notes.join('; ') }),
      })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return jsonResult({ success: false, error: redactor.redact(error.message) }, 'error')
    }
  }),
})

/** Where the file goes and what it is to be. */
async function placeFor(wanted: string | undefined, context: ToolContext) {
  const { agent, turn } = context
  if (wanted?.trim()) {
    const { path } = await checkWrite(wanted.trim(), fileRules(context))
    return { path, format: formatOf(path) }
  }
  const format: AudioFormat = turn.request.face.voiceFormat ?? 'mp3'
  const time = new Date(agent.clock.now()).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const name = `tts_${time.slice(0, 8)}_${time.slice(8)}_${randomBytes(3).toString('hex')}${extensions[format]}`
  return { path: join(await audioFolder(agent.home), name), format }
}

const formats: Readonly<Record<string, AudioFormat>> = {
  '.mp3': 'mp3',
  '.ogg': 'opus',
  '.oga': 'opus',
  '.opus': 'opus',
  '.wav': 'wav',
}

/** By the name's end; no file of another kind is overwritten. */
function formatOf(path: string): AudioFormat {
  const format = formats[extname(path).toLowerCase()]
  if (format) return format
  throw new ServiceError('refused', 'output_path must end in .mp3, .ogg or .wav.')
}
