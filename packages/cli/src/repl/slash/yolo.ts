import type { SlashCommand } from './slash-command.ts'

export const yolo: SlashCommand = {
  name: 'yolo',
  args: '[on|off]',
  summary: 'Allow everything without asking, or ask again',
  category: 'Configuration',
  duringTurn: true,
  async run(args, { agent, session, settings, view }) {
    const wanted = args.trim().toLowerCase()
    if (!['', 'on', 'off'].includes(wanted)) return view.print(`/yolo ${yolo.args}. Nothing was changed.`, 'warning')
    settings.yolo = wanted === '' ? !settings.yolo : wanted === 'on'
    agent.scopes.get(session.id).yolo = settings.yolo
    if (settings.yolo) view.print('Dangerous commands now run without asking you. /yolo asks again.', 'warning')
    else view.print('Dangerous commands are asked about again.', 'ok')
  },
}
