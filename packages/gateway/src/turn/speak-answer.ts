import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { cacheFolder } from '../media/cache-folder.ts'
import type { FilePart } from './deliver-files.ts'

/** The answer as a voice message; undefined where nothing can speak it. When `signal` aborts, throws its reason. */
export async function speakAnswer(
  text: string,
  { home, config, environment, log }: Pick<AgentContext, 'home' | 'config' | 'environment' | 'log'>,
  signal: AbortSignal,
): Promise<FilePart | undefined> {
  const { maxSpeechChars, speak } = await import('@hermes/core/speech/speak.ts')
  const { ServiceError } = await import('@hermes/core/services/service-error.ts')
  const words = withoutMarkdown(text).slice(0, maxSpeechChars).toWellFormed()
  if (words === '') return undefined
  const path = join(await cacheFolder(home, 'audio'), `tts_${randomBytes(6).toString('hex')}.ogg`)
  try {
    const made = await speak({ text: words, path, format: 'opus', settings: config.tts, environment }, signal)
    return { type: 'file', kind: 'voice', path: made.path }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ServiceError)) throw error
    log.warn({ error: error.message }, 'an answer is not spoken')
    return undefined
  }
}

function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?```/g, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\/\/\S+/g, '')
    .replaceAll(/^[ \t]*(?:#{1,6}|[-*+>]|\d+\.)[ \t]+/gm, '')
    .replaceAll(/[*_~`|]+/g, '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim()
}
