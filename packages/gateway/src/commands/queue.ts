import type { InboxEntry } from '../store/inbox.ts'
import { maxWaiting, sideLane } from './command.ts'
import type { ChatCommand } from './command.ts'

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
  summary: 'Say something to the work that is going on, without stopping it',
  async run({ args, sessionKey, message, chats }) {
    if (args === '') return 'Say what I should know: /steer MESSAGE'
    const ask = { text: args, isTyped: true }
    if (!chats.steering.isOpen(sessionKey)) return { ask }
    const said = chats.lanes.busyKeys().filter((key) => key.startsWith(sideLane(sessionKey, 'steer:'))).length
    if (said >= maxWaiting) return `${said} of your words wait for my next step already.`
    return {
      say: '↪ Noted: I read it at my next step.',
      work: {
        lane: `steer:${message.eventId}`,
        run: async (signal) => ((await chats.steering.say(sessionKey, args, signal)) ? '' : { ask }),
      },
    }
  },
}

/** A message as if it had been said by `/steer`. */
export function asSteering(entry: InboxEntry): InboxEntry {
  return { ...entry, message: { ...entry.message, text: `/steer ${entry.message.text}` } }
}
