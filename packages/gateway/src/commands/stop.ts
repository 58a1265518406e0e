import type { ChatCommand } from './command.ts'
import { asideLane, sideLane } from './command.ts'
import { dropWaiting, isAtWork, stopSpeaking } from './drop-waiting.ts'
import { namedThread, ownThreads, threadOption } from './own-threads.ts'

const reason = 'The user stopped it.'

export const stop: ChatCommand = {
  name: 'stop',
  options: [threadOption],
  summary:
    'Stop what I am doing, forget what waits and take back what of an answer has not come yet; where that is nothing here, what you asked for in threads of this chat, or what runs in the background',
  async run(call) {
    const { args, sessionKey, chats } = call
    const { lanes } = chats
    const threads = ownThreads(call)
    const { named } = namedThread(args, threads)
    const takeBack = async (key: string) => [...stopSpeaking(key, reason, lanes), ...rest(await chats.dropAnswers(key))]
    const end = async (key: string) => {
      const waiting = dropWaiting(key, reason, lanes)
      return [...(await takeBack(key)), ...waiting]
    }
    if (!named && isAtWork(sessionKey, lanes)) return ['⏹ Stopped.', ...(await end(sessionKey))].join('\n')
    const takenBack = named ? [] : await takeBack(sessionKey)
    if (takenBack.length > 0) return `⏹ ${takenBack.join('\n')}`
    const below = named ? [named] : threads
    const dropped = (await Promise.all(below.map(({ key }) => end(key)))).flat()
    if (below.length > 0) {
      const titles = below.map(({ title }) => title).join(', ')
      const where = below.length === 1 ? 'a thread' : 'threads'
      return [`⏹ Stopped what you asked for in ${where} here: ${titles}`, ...dropped].join('\n')
    }
    const isBeside = (key: string) =>
      key.startsWith(sideLane(sessionKey, 'bg_')) || key === sideLane(sessionKey, asideLane)
    const beside = lanes.busyKeys().filter(isBeside)
    for (const key of beside) lanes.interrupt(key, reason)
    return beside.length > 0 ? '⏹ Stopped what ran in the background.' : 'Nothing is running.'
  },
}

/** What is told of the rest of an answer that was queued. */
function rest(messages: number): readonly string[] {
  if (messages === 0) return []
  return [`The rest of the answer does not come any more (${messages} ${messages === 1 ? 'message' : 'messages'}).`]
}
