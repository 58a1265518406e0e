import type { AgentContext } from '../agent/context.ts'
import type { TurnRequest } from '../agent/turn.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { PromptNotice } from './blocks/block.ts'

/** What goes into every request of a turn and is never stored. */
export interface CallTime {
  /** The frozen prompt with this turn's instructions after it. */
  readonly systemPrompt: string
  /** Messages that stand before the conversation. */
  readonly prefill: readonly TranscriptMessage[]
  readonly notices: readonly PromptNotice[]
}

/** Adds what holds at the time of a call: a personality, or other instructions, and the prefill messages. */
export async function callTime(
  frozenPrompt: string,
  context: AgentContext,
  request: Pick<TurnRequest, 'instructions'>,
): Promise<CallTime> {
  const { config } = context
  const instructions = (request.instructions ?? config.agent.system_prompt).trim()
  const systemPrompt = instructions === '' ? frozenPrompt : `${frozenPrompt}\n\n${instructions}`
  if ((config.agent.prefill_messages_file || config.prefill_messages_file) === '') {
    return { systemPrompt, prefill: [], notices: [] }
  }
  const { prefillMessages } = await import('./prefill-messages.ts')
  const { messages, notice } = await prefillMessages(context)
  return { systemPrompt, prefill: messages, notices: notice ? [notice] : [] }
}
