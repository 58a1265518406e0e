import type { ChatCommand } from './command.ts'

export const setHome: ChatCommand = {
  name: 'sethome',
  aliases: ['set-home'],
  summary: 'Make this chat the one where notices and results of jobs go',
  async run({ message, chats }) {
    const { platform, chatId, chatName, threadId } = message.source
    const variable = `${platform.toUpperCase()}_HOME_CHANNEL`
    const value = threadId === undefined ? chatId : `${chatId}:${threadId}`
    const problem = await chats.live.change([
      { path: [variable], value },
      { path: [`${variable}_NAME`], value: chatName ?? 'Home' },
    ])
    return problem ?? `🏠 This chat is the home of ${platform} now: notices and results of jobs come here.`
  },
}
