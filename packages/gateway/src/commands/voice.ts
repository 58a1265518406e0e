import type { VoiceMode } from '../sessions/voice-modes.ts'
import type { ChatCommand } from './command.ts'

const meanings: Readonly<Record<VoiceMode, string>> = {
  off: 'answers are text',
  voice_only: 'voice messages are answered with a voice message too',
  all: 'every answer is spoken too',
}

export const voice: ChatCommand = {
  name: 'voice',
  args: '[on|off|tts|status]',
  summary: 'Spoken answers: to voice messages (on), always (tts), never (off)',
  async run({ args, message, chats }) {
    const { chatId } = message.source
    const present = await chats.voice.get(chatId)
    const wanted = args.toLowerCase()
    if (wanted === 'status') return said(present ?? 'voice_only')
    if (['join', 'channel', 'leave'].includes(wanted)) return 'Voice channels cannot be joined here.'
    const words: Readonly<Record<string, VoiceMode>> = { on: 'voice_only', off: 'off', tts: 'all' }
    const mode = wanted === '' ? (present === 'off' || !present ? 'voice_only' : 'off') : words[wanted]
    if (!mode) return `/voice ${voice.args}`
    await chats.voice.set(chatId, mode)
    return said(mode)
  },
}

function said(mode: VoiceMode): string {
  return `🔊 Voice: ${mode} (${meanings[mode]})`
}
