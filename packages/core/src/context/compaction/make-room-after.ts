import type { ModelError } from '../../models/model-error.ts'
import type { ModelRequest, ResolvedModel } from '../../models/model.ts'
import { contextFacts } from '../context-facts.ts'
import { compactConversation } from './compact-conversation.ts'
import type { Conversation } from './conversation.ts'
import { overflowFacts } from './overflow-facts.ts'

/** Windows that models usually have, for providers that do not say theirs. */
const usualWindows = [128_000, 64_000, 32_000, 16_000, 8_000] as const

export interface Refusal {
  readonly reason: ModelError
  /** Who refused. */
  readonly model: ResolvedModel
  readonly request: ModelRequest
}

/**
 * Makes room after a request was refused as too long: learns the window from the provider's words and compacts. Resolves
 * to false where that is switched off, or would gain too little.
 */
export async function makeRoomAfter(refusal: Refusal, conversation: Conversation): Promise<boolean> {
  const { enabled, threshold } = conversation.context.config.compression
  if (!enabled) return false
  const { reason, model, request } = refusal
  const { sent: history, scope } = conversation
  const factsNow = () => contextFacts({ state: scope.contextState, model, request, history, threshold })
  learnFrom(refusal, conversation, factsNow)
  const { windowTokens } = overflowFacts(reason.message)
  if (reason.code === 'context-overflow' && windowTokens !== undefined) await model.keepWindow?.(windowTokens)
  if (conversation.forgetRecalled()) return true
  const { isCompacted } = await compactConversation(conversation, { reason: 'overflow', facts: factsNow() })
  return isCompacted
}

/** Takes what the provider says, or shows, of the window and of how it counts. */
function learnFrom(
  { reason, model, request }: Refusal,
  { scope }: Conversation,
  factsNow: () => ReturnType<typeof contextFacts>,
): void {
  const state = scope.contextState
  const { promptTokens, windowTokens } = overflowFacts(reason.message)
  const counted = { ...request, model: model.model }
  if (promptTokens !== undefined) state.meter.learnTokens(counted, promptTokens)
  // The size of a request in bytes says nothing of the window.
  if (reason.code !== 'context-overflow') return
  const { tokens, contextLength } = factsNow()
  const window = windowTokens ?? usualWindows.find((size) => size < tokens) ?? Math.floor(tokens / 2)
  if (window < contextLength) state.learnedWindow = { model: model.model, tokens: window }
  // Whatever the estimate says, it was longer than that.
  if (tokens < window) state.meter.learnTokens(counted, window)
}
