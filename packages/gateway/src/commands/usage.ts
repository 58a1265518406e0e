import type { Usage } from '@hermes/core/models/model.ts'
import type { Session } from '@hermes/core/sessions/store.ts'
import { sessionCost, usd } from '@hermes/core/models/cost-text.ts'
import { rateLimitLines } from '@hermes/core/models/rate-limit-lines.ts'
import { formatContext, formatCount, sentTokens } from '@hermes/core/text/token-count.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { currentSession, nothingYet } from './current-session.ts'

export const usage: ChatCommand = {
  name: 'usage',
  summary: 'What this conversation has used and cost, and what is left of limits',
  async run(call) {
    const session = await currentSession(call)
    if (!session) return nothingYet
    const { agent } = call
    const cost = sessionCost(session)
    const lines = [
      session.model && `Model: ${session.model}`,
      `Messages: ${session.messageCount}, tool calls: ${session.toolCallCount}`,
      `Tokens: ${tokens(session.usage)}`,
      cost && `Cost: ${cost}`,
      await contextLine(session, call),
      ...rateLimitLines(agent.models.rateLimits(), agent.clock.now()),
    ]
    return lines.filter(Boolean).join('\n')
  },
}

/** How full the model's context is, as far as that is known without asking it. */
async function contextLine(
  { id, systemPrompt = '' }: Session,
  { agent, chats, sessionKey }: CommandCall,
): Promise<string | undefined> {
  const { ModelError } = await import('@hermes/core/models/model-error.ts')
  try {
    const { contextLength } = await agent.models.resolve(
      await chats.settings.model(sessionKey),
      AbortSignal.timeout(500),
    )
    const { meter } = agent.scopes.get(id).contextState
    const messages = (await agent.sessions.messages(id)).map(({ message }) => message)
    return `Context: about ${formatContext(meter.messages(messages) + meter.text(systemPrompt), contextLength)}`
  } catch (error) {
    if (error instanceof ModelError || (error instanceof DOMException && error.name === 'TimeoutError'))
      return undefined
    throw error
  }
}

const dayMs = 24 * 3_600_000
const usualDays = 30

/** Lines of each list. */
const most = 5

export const insights: ChatCommand = {
  name: 'insights',
  args: '[days] [--source NAME]',
  options: [
    { name: 'days', about: 'How many days; 30 where nothing is said', kind: 'whole' },
    { name: 'source', about: 'What was used from one place, such as discord or cli', word: '--source' },
  ],
  summary: 'What was used in the last days',
  async run({ args, agent }) {
    const source = /--source[ =](\S+)/.exec(args)?.[1]
    const named = args
      .replace(/--source[ =]\S+/, '')
      .replace(/--days[ =]/, '')
      .trim()
    if (!/^\d{0,4}$/.test(named)) return `/insights ${insights.args}`
    const days = Number(named) || usualDays
    const sums = await agent.sessions.analytics({ since: agent.clock.now() - days * dayMs, source })
    const title = `The last ${days} days${source ? ` of ${source}` : ''}`
    if (sums.sessions === 0) return `${title}: nothing yet.`
    const total = `${sums.sessions} conversations, ${sums.messages} messages, ${sums.toolCalls} tool calls`
    const models = sums.byModel.slice(0, most).map(({ model, usage: used }) => `  ${model}: ${tokens(used)}`)
    const tools = sums.byTool.slice(0, most).map(({ tool, calls }) => `  ${tool}: ${calls}`)
    return [
      `${title}: ${total}`,
      `Tokens: ${tokens(sums.usage)}`,
      `Cost: ${usd(sums.cost.usd)}`,
      ...(models.length > 0 ? ['Models:', ...models] : []),
      ...(tools.length > 0 ? ['Tools:', ...tools] : []),
    ].join('\n')
  },
}

function tokens(used: Usage): string {
  return `${formatCount(sentTokens(used))} in (${formatCount(used.cacheReadTokens)} cached), ${formatCount(used.outputTokens)} out`
}
