import { nobody } from '@hermes/core/agent/decision.ts'
import { ModelError } from '@hermes/core/models/model-error.ts'
import { formatCount } from '@hermes/core/text/token-count.ts'
import type { ChatCommand } from './command.ts'
import { betweenTurns, currentSession, nothingYet } from './current-session.ts'

export const compress: ChatCommand = {
  name: 'compress',
  aliases: ['compact'],
  args: '[topic]',
  summary: 'Summarise what was said earlier, most of all what is about a topic',
  async run(call) {
    const { args, agent, chats, sessionKey, message } = call
    return betweenTurns(call, async (signal) => {
      const session = await currentSession(call)
      if (!session) return nothingYet
      const { compactSession } = await import('@hermes/core/agent/compact-session.ts')
      const { whyNotCompacted } = await import('@hermes/core/agent/compaction-text.ts')
      const { source } = session
      const model = await chats.settings.model(sessionKey)
      const face = { name: message.source.platform, decide: nobody }
      const turn = { session: { id: session.id, source }, face, ...(model !== undefined && { model }) }
      const focus = args === '' ? undefined : args
      try {
        const done = await compactSession({ turn, focus, emit: () => {} }, agent, signal)
        if (done.status !== 'compacted') return whyNotCompacted(done)
        await chats.sessions.moveTo(sessionKey, done.session.id, message.source)
        const { messagesBefore, messagesAfter, tokensBefore, tokensAfter } = done.outcome
        const tokens = `about ${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`
        return `🗜 Compacted: ${messagesBefore} → ${messagesAfter} messages, ${tokens}.`
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        return error.message
      }
    })
  },
}
