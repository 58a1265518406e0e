import type { Usage } from '@hermes/core/models/model.ts'
import { rateLimitLines } from '@hermes/core/models/rate-limit-lines.ts'
import { formatContext, formatCount, sentTokens } from '@hermes/core/text/token-count.ts'
import type { SlashCommand } from './slash-command.ts'

export const usage: SlashCommand = {
  name: 'usage',
  summary: 'Tokens used, what they cost, how full the context is, and what is left of limits',
  category: 'Info',
  duringTurn: true,
  async run(_args, { agent, session, usage: run, isBusy, view }) {
    const stored = await agent.sessions.get(session.id)
    const { sessionCost, turnCost } = await import('@hermes/core/models/cost-text.ts')
    const lines = [
      run.model && `Model: ${run.model}`,
      run.context && `Context: ${formatContext(run.context.tokens, run.context.length)}`,
      run.turn && line(isBusy ? 'This turn' : 'Last turn', run.turn.usage, turnCost(run.turn.costs)),
      stored && line('Session', stored.usage, sessionCost(stored)),
      `Since the start: ${counted(run.turns, 'turn')}, ${counted(run.modelCalls, 'model call')}, ${tokens(run.usage)}`,
      ...rateLimitLines(agent.models.rateLimits(), agent.clock.now()),
    ]
    view.print(lines.filter(Boolean).join('\n'))
  },
}

function line(name: string, used: Usage, cost: string | undefined): string {
  return `${name}: ${tokens(used)}${cost === undefined ? '' : ` · cost ${cost}`}`
}

function tokens(used: Usage): string {
  const cached = used.cacheReadTokens > 0 ? ` (${formatCount(used.cacheReadTokens)} of them cached)` : ''
  const reasoning = used.reasoningTokens > 0 ? ` (${formatCount(used.reasoningTokens)} of them reasoning)` : ''
  return `${formatCount(sentTokens(used))} tokens in${cached}, ${formatCount(used.outputTokens)} out${reasoning}`
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
