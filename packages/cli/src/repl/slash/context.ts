import { ModelError } from '@hermes/core/models/model-error.ts'
import { contextTable } from '../../context-table.ts'
import { formatContext } from '@hermes/core/text/token-count.ts'
import type { SlashCommand } from './slash-command.ts'

export const context: SlashCommand = {
  name: 'context',
  summary: 'What the next request sends: each part with its tokens',
  category: 'Info',
  duringTurn: true,
  async run(_args, chat) {
    const { agent, view, usage } = chat
    const { contextReport } = await import('@hermes/core/context/context-report.ts')
    try {
      const report = await contextReport(chat.nextTurn, agent, chat.signal)
      view.print(contextTable(report))
      if (usage.context) {
        view.print(`Counted by the provider: ${formatContext(usage.context.tokens, usage.context.length)}`, 'dim')
      }
      for (const { message } of report.notices) view.print(message, 'warning')
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      view.print(error.message, 'warning')
    }
  },
}
