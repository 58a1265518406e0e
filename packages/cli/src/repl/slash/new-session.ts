import type { SlashCommand } from './slash-command.ts'

export const newSession: SlashCommand = {
  name: 'new',
  aliases: ['reset'],
  summary: 'Start a new session',
  category: 'Session',
  duringTurn: false,
  async run(_args, chat) {
    await chat.startNew('new_session')
    chat.view.print('New session.', 'dim')
  },
}

export const clear: SlashCommand = {
  name: 'clear',
  summary: 'Clear the screen and start a new session',
  category: 'Session',
  duringTurn: false,
  async run(_args, chat) {
    await chat.startNew('new_session')
    chat.view.clear()
  },
}
