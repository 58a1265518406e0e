import type { InboxEntry } from '../store/inbox.ts'
import { maxWaiting, sideLane } from './command.ts'
import type { ChatCommand } from './command.ts'
import { namedThread, ownThreads, threadOption, whichThread } from './own-threads.ts'

export const queue: ChatCommand = {
  name: 'queue',
  aliases: ['q'],
  args: '<message>',
  summary: 'Say something that is answered when I am done with what I do',
  async run({ args, sessionKey, chats }) {
    if (args === '') return `${chats.lanes.waiting(sessionKey)} waiting. Queue a message: /queue MESSAGE`
    const waiting = chats.lanes.waiting(sessionKey)
    if (waiting >= maxWaiting)
      return `${waiting} messages wait already: queue more when I have answered some, or /stop.`
    const ask = { text: args, isTyped: true }
    return chats.lanes.isBusy(sessionKey) ? { say: '⏳ Queued: it is next.', ask } : { ask }
  },
}

export const steer: ChatCommand = {
  name: 'steer',
  args: '<message>',
  options: [threadOption, { name: 'message', about: 'What I should know', isRequired: true }],
  summary: 'Say something to the work that is going on, without stopping it',
  async run(call) {
    const { args, sessionKey, message, chats } = call
    const threads = ownThreads(call).filter(({ key }) => chats.steering.isOpen(key))
    const { named, rest: text } = namedThread(args, threads)
    if (text === '') return 'Say what I should know: /steer MESSAGE'
    const isHere = !named && (chats.steering.isOpen(sessionKey) || threads.length === 0)
    if (!named && !isHere && threads.length > 1) return whichThread(threads, (name) => `/steer ${name} ${text}`)
    const thread = isHere ? undefined : (named ?? threads[0])
    const key = thread?.key ?? sessionKey
    const ask = { text, isTyped: true }
    // Words alone reach a turn that runs; with files it is the next message.
    if (!chats.steering.isOpen(key) || (!thread && message.attachments.length > 0)) return { ask }
    const said = chats.lanes.busyKeys().filter((one) => one.startsWith(sideLane(sessionKey, 'steer:'))).length
    if (said >= maxWaiting) return `${said} of your words wait for my next step already.`
    // What comes too late for a thread is not asked in the chat, where its conversation is another one.
    const tooLate = thread ? `That ended before I could read it. Say it in the thread ${thread.title}.` : { ask }
    return {
      say: `↪ Noted${thread ? ` for the thread ${thread.title}` : ''}: I read it at my next step.`,
      work: {
        lane: `steer:${message.eventId}`,
        run: async (signal) => ((await chats.steering.say(key, text, signal)) ? '' : tooLate),
      },
    }
  },
}

/** A message as if it had been said by `/steer`. */
export function asSteering(entry: InboxEntry): InboxEntry {
  return { ...entry, message: { ...entry.message, text: `/steer ${entry.message.text}` } }
}
