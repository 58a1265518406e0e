import type { ModelError } from '../../models/model-error.ts'
import type { ModelRequest } from '../../models/model.ts'
import { contextFacts } from '../context-facts.ts'
import { compactConversation } from './compact-conversation.ts'
import type { Conversation } from './conversation.ts'
import { overflowFacts } from './overflow-facts.ts'

/** Windows that models usually have, for providers that do not say theirs. */
const usualWindows = [128_000, 64_000, 32_000, 16_000, 8_000] as const

/** Least room for an answer that a call is made for, and what is left between prompt and answer. */
const [leastAnswer, gap] = [512, 64]

/** What is to be different in the request when it is made again. */
export interface RoomMade {
  readonly maxOutputTokens?: number
}

/**
 * What to do when a provider refused a request as too long: learns the window from its words, asks for a shorter answer
 * where that is all it takes, and else compacts. Undefined when the request cannot be made shorter.
 */
export async function roomAfterRefusal(
  conversation: Conversation,
  request: ModelRequest,
  refusal: ModelError,
): Promise<RoomMade | undefined> {
  const { context, scope, model, history } = conversation
  const { enabled, threshold } = context.config.compression
  const told = overflowFacts(refusal.message)
  const answerTokens = shorterAnswer(told, request)
  if (answerTokens !== undefined) return { maxOutputTokens: answerTokens }
  if (!enabled) return undefined
  const state = scope.contextState
  if (told.promptTokens !== undefined) state.meter.learnTokens(request, told.promptTokens)
  const before = contextFacts({ state, model, request, history, threshold })
  if (refusal.code === 'context-overflow') {
    const window = told.windowTokens ?? usualWindows.find((size) => size < before.tokens) ?? before.tokens / 2
    if (window < before.contextLength) state.learnedWindow = { model: model.model, tokens: Math.floor(window) }
    // It is longer than its window, whatever the estimate says.
    if (before.tokens < window) state.meter.learnTokens(request, window)
  }
  const facts = contextFacts({ state, model, request, history, threshold })
  const { isCompacted } = await compactConversation(conversation, { reason: 'overflow', facts })
  return isCompacted ? {} : undefined
}

/** The longest answer that there is room for, where prompt and answer together were too long and the prompt was not. */
function shorterAnswer(
  { windowTokens, promptTokens }: ReturnType<typeof overflowFacts>,
  { maxOutputTokens }: ModelRequest,
): number | undefined {
  if (windowTokens === undefined || promptTokens === undefined || maxOutputTokens === undefined) return undefined
  const room = windowTokens - promptTokens - gap
  return room >= leastAnswer && room < maxOutputTokens ? room : undefined
}
