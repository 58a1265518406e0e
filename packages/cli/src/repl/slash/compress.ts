import { whyNotCompacted } from '@hermes/core/agent/compaction-text.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import type { SlashCommand } from './slash-command.ts'

export const compress: SlashCommand = {
  name: 'compress',
  aliases: ['compact'],
  args: '[topic]',
  summary: 'Summarise the earlier part of the conversation, most of all what is about a topic',
  category: 'Session',
  duringTurn: false,
  async run(args, chat) {
    const { agent, view, nextTurn: turn } = chat
    const { compactSession } = await import('@hermes/core/agent/compact-session.ts')
    const focus = args === '' ? undefined : args
    await chat.whileBusy(async (signal) => {
      try {
        const emit = view.showEvent.bind(view)
        const compaction = await compactSession({ turn, focus, emit }, agent, signal)
        if (compaction.status === 'compacted') chat.goOnAs({ ...turn.session, id: compaction.session.id })
        else view.print(whyNotCompacted(compaction), 'warning')
      } catch (error) {
        if (signal.aborted) view.print('Interrupted; nothing was changed.', 'warning')
        else if (error instanceof ModelError) view.print(error.message, 'warning')
        else throw error
      }
    })
  },
}
