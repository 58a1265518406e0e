import type { ChatCommand } from './command.ts'
import { sideLane } from './command.ts'
import { namedThread, ownThreads, threadOption } from './own-threads.ts'

const reason = 'The user stopped it.'

export const stop: ChatCommand = {
  name: 'stop',
  options: [threadOption],
  summary:
    'Stop what I am doing; where that is nothing here, what you asked for in threads of this chat, or what runs in the background',
  async run(call) {
    const { args, sessionKey, chats } = call
    const { lanes } = chats
    const threads = ownThreads(call)
    const { named } = namedThread(args, threads)
    if (!named && lanes.interrupt(sessionKey, reason)) return '⏹ Stopped.'
    const below = named ? [named] : threads
    for (const { key } of below) lanes.interrupt(key, reason)
    if (below.length > 0) {
      const titles = below.map(({ title }) => title).join(', ')
      return `⏹ Stopped what you asked for in ${below.length === 1 ? 'a thread' : 'threads'} here: ${titles}`
    }
    const beside = lanes.busyKeys().filter((key) => key.startsWith(sideLane(sessionKey, 'bg_')))
    for (const key of beside) lanes.interrupt(key, reason)
    return beside.length > 0 ? '⏹ Stopped what ran in the background.' : 'Nothing is running.'
  },
}
