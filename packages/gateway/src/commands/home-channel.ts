import { homeVariable } from '../sessions/home-channel.ts'
import type { ChatCommand } from './command.ts'

export const setHome: ChatCommand = {
  name: 'sethome',
  aliases: ['set-home'],
  summary: 'Make this chat the one where notices and results of jobs go',
  async run({ agent, message, chats }) {
    const { platform, chatId, chatName, threadId } = message.source
    const variable = homeVariable(platform)
    if (agent.environment[variable]?.trim()) {
      return `${variable} is set in the environment (.env), which goes before what is set here. Change it there.`
    }
    const problem = await chats.live.change([
      { path: [variable], value: chatId },
      { path: [`${variable}_NAME`], value: chatName ?? 'Home' },
      { path: [`${variable}_THREAD`], value: threadId },
    ])
    return problem ?? `🏠 This chat is the home of ${platform} now: notices and results of jobs come here.`
  },
}
