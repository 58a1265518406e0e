import type { ChatCommand } from './command.ts'

export const restart: ChatCommand = {
  name: 'restart',
  summary: 'Start the gateway anew; what runs may end first, and I say when I am back',
  async run({ chats, message }) {
    const { restarts } = chats
    if (!restarts) return 'Nothing here would start me again; do it where I run: hermes gateway restart'
    if ((await restarts.request(message)) === 'done') return 'I have been started anew.'
    return `♻️ Starting anew. What runs may go on for up to ${restarts.drainSeconds} s; what is left goes on afterwards.`
  },
}
