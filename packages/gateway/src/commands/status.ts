import type { ChatCommand } from './command.ts'

export const status: ChatCommand = {
  name: 'status',
  summary: 'Where this conversation stands',
  async run({ sessionKey, chats }) {
    const { agent, lanes, sessions, decisions } = chats
    const chat = await sessions.find(sessionKey)
    const session = chat && (await agent.sessions.get(chat.sessionId))
    const waiting = lanes.waiting(sessionKey)
    const open = decisions.open(sessionKey).length
    const lines = [
      `Session: ${chat?.sessionId ?? 'none yet'}${session?.title ? ` (${session.title})` : ''}`,
      `Messages: ${session?.messageCount ?? 0}`,
      `Working: ${lanes.isBusy(sessionKey) ? 'yes' : 'no'}${waiting > 0 ? `, ${waiting} waiting` : ''}`,
      ...(open > 0 ? [`Waiting for your consent or answer: ${open}`] : []),
      `Platforms: ${
        chats
          .platforms()
          .map(({ platform, state }) => `${platform} ${state}`)
          .join(', ') || 'none'
      }`,
    ]
    return lines.join('\n')
  },
}
