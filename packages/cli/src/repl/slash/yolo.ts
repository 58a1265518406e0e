import type { SlashCommand } from './slash-command.ts'

export const yolo: SlashCommand = {
  name: 'yolo',
  summary: 'Allow everything without asking, or ask again',
  category: 'Configuration',
  duringTurn: true,
  async run(_args, { agent, session, settings, view }) {
    settings.yolo = !settings.yolo
    agent.scopes.get(session.id).yolo = settings.yolo
    if (settings.yolo) view.print('Dangerous commands now run without asking you. /yolo asks again.', 'warning')
    else view.print('Dangerous commands are asked about again.', 'ok')
  },
}
