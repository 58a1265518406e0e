import type { SlashCommand } from './slash-command.ts'

export const quit: SlashCommand = {
  name: 'quit',
  aliases: ['exit', 'q'],
  summary: 'Leave',
  category: 'Exit',
  duringTurn: true,
  async run(_args, chat) {
    chat.quit()
  },
}
