import { maxAnswerLength, tooLongAnswer } from '../models/answer-length.ts'
import type { Usage } from '../models/model.ts'
import { chargeCall } from './charge-call.ts'
import type { AgentContext } from './context.ts'
import { wellFormed } from './well-formed.ts'

export interface AsideOptions {
  readonly sessionId: string
  readonly question: string
  /** `provider/model`; the configured one when absent. */
  readonly model?: string
}

const asideRole =
  'The user asks something beside the work that goes on in this conversation. Answer it from what you know; no tools can be used, and nothing of it is kept.'

/**
 * Asks the model about a conversation without taking part in it: no tools, nothing is stored but what it cost. Throws
 * `ModelError`; when `signal` aborts, its reason.
 */
export async function askAside(
  { sessionId, question, model: wanted }: AsideOptions,
  context: AgentContext,
  signal: AbortSignal,
): Promise<string> {
  const { sessions, models } = context
  const stored = await sessions.get(sessionId)
  const history = stored ? (await sessions.messages(sessionId)).map(({ message }) => message) : []
  const resolved = await models.resolve(wanted, signal)
  const system = { role: 'system', content: `${stored?.systemPrompt ?? ''}\n\n${asideRole}`.trim() } as const
  const messages = [system, ...wellFormed([...history, { role: 'user', content: question }])]
  let text = ''
  let usage: Usage | undefined
  for await (const event of resolved.provider.stream({ model: resolved.model, messages, tools: [] }, signal)) {
    if (event.type === 'text-delta') text += event.text
    if (text.length > maxAnswerLength) throw tooLongAnswer(resolved)
    if (event.type === 'finish') usage = event.usage
  }
  signal.throwIfAborted()
  if (usage && stored) await chargeCall(context, sessionId, resolved, usage)
  return text.trim()
}
