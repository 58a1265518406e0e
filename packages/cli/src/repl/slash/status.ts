import { formatContext } from '@hermes/core/text/token-count.ts'
import type { SlashCommand } from './slash-command.ts'

export const status: SlashCommand = {
  name: 'status',
  summary: 'The session, its model and what is going on',
  category: 'Info',
  duringTurn: true,
  async run(_args, chat) {
    const { agent, session, settings, usage, view } = chat
    const stored = await agent.sessions.get(session.id)
    const title = stored?.title ?? chat.pendingTitle
    const model = usage.model ?? settings.model ?? (agent.config.model.default || 'chosen with the first message')
    const lines = [
      `Session: ${session.id}${title ? ` "${title}"` : ''}, ${stored?.messageCount ?? 0} messages`,
      `Model: ${model}`,
      usage.context && `Context: ${formatContext(usage.context.tokens, usage.context.length)}`,
      `Folder: ${agent.scopes.get(session.id).cwd()}`,
      `Home: ${agent.home.dir}`,
      settings.yolo && 'Dangerous commands run without asking (/yolo).',
      chat.isBusy ? `A turn is running; ${chat.waiting.length} messages wait.` : 'Idle.',
    ]
    view.print(lines.filter(Boolean).join('\n'))
  },
}
