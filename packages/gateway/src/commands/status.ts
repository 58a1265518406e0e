import { ago } from '@hermes/core/text/ago.ts'
import { formatCount, sentTokens } from '@hermes/core/text/token-count.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { ChatCommand } from './command.ts'
import { currentSession } from './current-session.ts'

export const status: ChatCommand = {
  name: 'status',
  summary: 'Where this conversation stands',
  async run(call) {
    const { agent, sessionKey, chats } = call
    const { lanes, sessions, decisions } = chats
    const [chat, session] = [await sessions.find(sessionKey), await currentSession(call)]
    const waiting = lanes.waiting(sessionKey)
    const open = decisions.open(sessionKey, chatOf(call.message.source)).length
    const now = agent.clock.now()
    const platforms = chats.platforms().map(({ platform, state }) => `${platform} ${state}`)
    const lines = [
      `Session: ${session?.id ?? chat?.sessionId ?? 'none yet'}${session?.title ? ` (${session.title})` : ''}`,
      `Messages: ${session?.messageCount ?? 0}`,
      session && `Begun ${ago(now - session.startedAt)}${chat ? `, last used ${ago(now - chat.updatedAt)}` : ''}`,
      session && `Tokens: ${formatCount(sentTokens(session.usage))} in, ${formatCount(session.usage.outputTokens)} out`,
      `Working: ${lanes.isBusy(sessionKey) ? 'yes' : 'no'}${waiting > 0 ? `, ${waiting} waiting` : ''}`,
      open > 0 && `Waiting for your consent or answer: ${open}`,
      `Platforms: ${platforms.join(', ') || 'none'}`,
    ]
    return lines.filter(Boolean).join('\n')
  },
}
