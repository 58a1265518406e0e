import type { ChatCommand } from './command.ts'

export const stop: ChatCommand = {
  name: 'stop',
  summary: 'Stop what the agent is doing',
  async run({ sessionKey, chats }) {
    return chats.lanes.interrupt(sessionKey, 'The user stopped it.') ? '⏹ Stopped.' : 'Nothing is running.'
  },
}
