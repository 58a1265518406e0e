import { oneLine } from '@hermes/core/text/one-line.ts'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { ChatCommand } from './command.ts'
import { sideLane } from './command.ts'

const reason = 'The user stopped it.'

export const stop: ChatCommand = {
  name: 'stop',
  summary:
    'Stop what I am doing; where that is nothing here, what you asked for in threads of this chat, or what runs in the background',
  async run({ message: { source }, sessionKey, chats }) {
    const { lanes } = chats
    if (lanes.interrupt(sessionKey, reason)) return '⏹ Stopped.'
    const below = lanes.running().filter(({ message }) => isOwnThreadOf(source, message.source))
    for (const { key } of below) lanes.interrupt(key, reason)
    if (below.length > 0) {
      const names = below.map(({ message }) => `"${oneLine(message.text)}"`)
      return `⏹ Stopped what you asked for in ${names.length === 1 ? 'a thread' : 'threads'} here: ${names.join(', ')}`
    }
    const beside = lanes.busyKeys().filter((key) => key.startsWith(sideLane(sessionKey, 'bg_')))
    for (const key of beside) lanes.interrupt(key, reason)
    return beside.length > 0 ? '⏹ Stopped what ran in the background.' : 'Nothing is running.'
  },
}

/** Whether the same person wrote in a thread of the chat: Slack's commands, for one, do not say in which they are written. */
function isOwnThreadOf(here: MessageSource, there: MessageSource): boolean {
  if (here.threadId || !there.threadId || here.platform !== there.platform || here.account !== there.account)
    return false
  const isOwn = here.userId !== undefined && here.userId === there.userId
  return isOwn && (there.parentId ?? there.chatId) === here.chatId
}
