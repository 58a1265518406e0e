import type { ChatCommand } from './command.ts'
import { sideLane } from './command.ts'

export const stop: ChatCommand = {
  name: 'stop',
  summary: 'Stop what I am doing; where that is nothing here, what runs in the background',
  async run({ sessionKey, chats }) {
    const { lanes } = chats
    if (lanes.interrupt(sessionKey, 'The user stopped it.')) return '⏹ Stopped.'
    const beside = lanes.busyKeys().filter((key) => key.startsWith(sideLane(sessionKey, 'bg_')))
    for (const key of beside) lanes.interrupt(key, 'The user stopped it.')
    return beside.length > 0 ? '⏹ Stopped what ran in the background.' : 'Nothing is running.'
  },
}
