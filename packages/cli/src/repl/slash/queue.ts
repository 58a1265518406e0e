import type { SlashCommand } from './slash-command.ts'

export const queue: SlashCommand = {
  name: 'queue',
  args: '<message>',
  summary: 'Send a message when the turn has ended',
  category: 'Session',
  duringTurn: true,
  async run(args, chat) {
    if (args !== '') chat.enqueue(args, args.length)
    else if (chat.waiting.length === 0) chat.view.print('Nothing waits.', 'dim')
    else chat.view.print(chat.waiting.map((text, index) => `${index + 1}. ${text}`).join('\n'))
  },
}
