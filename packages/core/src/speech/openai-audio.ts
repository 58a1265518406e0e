import type { Environment } from '../agent/context.ts'

/** The key of OpenAI's audio: one of its own goes before the one of models. */
export function openaiAudioKey(environment: Environment): string | undefined {
  return environment['VOICE_TOOLS_OPENAI_KEY'] || environment['OPENAI_API_KEY'] || undefined
}

export const openaiAudioKeyHint = 'Check VOICE_TOOLS_OPENAI_KEY (or OPENAI_API_KEY) in .env.'

export const openaiUrl = 'https://api.openai.com/v1'
