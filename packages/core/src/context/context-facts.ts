import type { ModelRequest, ResolvedModel } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { ContextFacts } from './context-engine.ts'
import type { ContextState } from './context-state.ts'

/** Room for an answer where no limit of its length is known, tokens. */
const usualAnswer = 4_096

/** Most of the window that is left free for the answer. */
const answerShare = 0.25

/** How full the context would be with a request. `history`: what of the request can be made shorter. */
export function contextFacts(given: {
  readonly state: ContextState
  readonly model: ResolvedModel
  readonly request: ModelRequest
  readonly history: readonly TranscriptMessage[]
  /** `compression.threshold` */
  readonly threshold: number
}): ContextFacts {
  const { state, model, request, history, threshold } = given
  const { meter, learnedWindow } = state
  const isLearned = learnedWindow?.model === model.model
  const contextLength = isLearned ? Math.min(learnedWindow.tokens, model.contextLength) : model.contextLength
  const tokens = meter.request(request)
  const fixedTokens = Math.max(0, tokens - meter.messages(history))
  const answer = Math.min(request.maxOutputTokens ?? usualAnswer, contextLength * answerShare)
  // Where the prompt alone takes most of the threshold, compacting at it would gain nothing.
  const wanted = Math.max(contextLength * threshold, 2 * fixedTokens)
  return { tokens, fixedTokens, contextLength, thresholdTokens: Math.floor(Math.min(wanted, contextLength - answer)) }
}
