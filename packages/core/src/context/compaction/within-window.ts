import { AnswerError } from '../../agent/model-answer.ts'
import type { ModelAnswer } from '../../agent/model-answer.ts'
import { ModelError } from '../../models/model-error.ts'
import type { ModelRequest } from '../../models/model.ts'
import { contextFacts } from '../context-facts.ts'
import type { ContextFacts } from '../context-engine.ts'
import type { Conversation } from './conversation.ts'

/** Times a request that was too long is made again with less. */
const maxRetries = 3

/** Parts of the threshold at which people are told that it comes near, percent. */
const pressureTiers = [95, 85] as const

/** A model call in its two parts: the request is made anew after a compaction. */
interface WindowedCall {
  readonly build: () => ModelRequest
  readonly send: (request: ModelRequest) => Promise<ModelAnswer>
}

/**
 * Makes a model call that fits the window: compacts the conversation before it where the threshold is passed, and after
 * it, a bounded number of times, where the provider says that it was too long. Throws what `send` throws.
 */
export async function withinWindow(conversation: Conversation, { build, send }: WindowedCall): Promise<ModelAnswer> {
  const { scope, signal } = conversation
  let request = build()
  let room = await makeRoom(conversation, request)
  if (room === 'forgot') {
    request = build()
    room = await makeRoom(conversation, request)
  }
  if (room) request = build()
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await send(request)
      if (answer.usage) scope.contextState.meter.learn({ ...request, model: answer.model.model }, answer.usage)
      return answer
    } catch (error) {
      const reason = error instanceof AnswerError ? error.cause : undefined
      if (!isTooLong(reason) || signal.aborted || attempt > maxRetries) throw error
      const model = (error instanceof AnswerError ? error.model : undefined) ?? conversation.model
      const { makeRoomAfter } = await import('./make-room-after.ts')
      if (!(await asAnswerError(() => makeRoomAfter({ reason, model, request }, conversation), conversation)))
        throw error
      request = build()
    }
  }
}

function isTooLong(failure: unknown): failure is ModelError {
  return failure instanceof ModelError && (failure.code === 'context-overflow' || failure.code === 'payload-too-large')
}

/** Where the request is too long, does without what was recalled earlier, or else compacts. False: it stays as it is. */
async function makeRoom(conversation: Conversation, request: ModelRequest): Promise<'forgot' | 'compacted' | false> {
  const { context, scope, model, sent: history, emit } = conversation
  const { enabled, threshold } = context.config.compression
  const state = scope.contextState
  if (!enabled || state.isDisabled) return false
  const facts = contextFacts({ state, model, request, history, threshold })
  if (facts.tokens < facts.thresholdTokens) {
    await tellPressure(conversation, facts)
    return false
  }
  if (conversation.forgetRecalled()) return 'forgot'
  const { compactConversation } = await import('./compact-conversation.ts')
  const outcome = await asAnswerError(
    () => compactConversation(conversation, { reason: 'threshold', facts }),
    conversation,
  )
  if (outcome.isCompacted) return 'compacted'
  state.isDisabled = true
  const saved = Math.max(0, Math.round(100 * (1 - outcome.tokensAfter / outcome.tokensBefore)))
  await emit({
    type: 'notice',
    level: 'warning',
    code: 'compaction-disabled',
    message: `Compacting this conversation would save only ${saved} %, so it is not done any more by itself. /new starts afresh.`,
  })
  return false
}

async function tellPressure({ scope, emit }: Conversation, { tokens, thresholdTokens }: ContextFacts): Promise<void> {
  const state = scope.contextState
  const percent = (100 * tokens) / thresholdTokens
  const tier = pressureTiers.find((each) => percent >= each) ?? 0
  if (tier <= state.toldPercent) return
  state.toldPercent = tier
  await emit({
    type: 'notice',
    level: 'info',
    code: 'context-pressure',
    message: `The conversation has reached ${tier} % of the length at which its earlier part is summarised.`,
  })
}

/** A cancelled compaction ends the turn as a cancelled call would. */
async function asAnswerError<Result>(work: () => Promise<Result>, { signal }: Conversation): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AnswerError(signal.reason, { role: 'assistant', content: '', toolCalls: [] })
  }
}
