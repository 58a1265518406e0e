import type { FinishReason, ModelEvent, ModelRequest, ResolvedModel, Usage } from '../models/model.ts'
import { maxAnswerLength, tooLongAnswer } from '../models/answer-length.ts'
import { ModelError } from '../models/model-error.ts'
import type { KeyLimits } from '../models/rate-limits.ts'
import { maxRetries, recoveryOf } from '../models/recovery.ts'
import type { Recovery } from '../models/recovery.ts'
import { retryDelayMs, sleep } from '../models/retry.ts'
import type { AssistantMessage, ToolCall } from '../models/transcript.ts'
import { duration } from '../text/duration.ts'
import type { TurnEvent } from './events.ts'

/** One complete answer of a model. */
export interface ModelAnswer {
  readonly message: AssistantMessage
  readonly finish: FinishReason
  /** What the call that gave it took; undefined where the provider does not tell. */
  readonly usage: Usage | undefined
  /** Which model gave it: another one than was asked when that failed. */
  readonly model: ResolvedModel
}

/** The model failed for good; `partial` is what it had said in the last attempt. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly partial: AssistantMessage
  override readonly cause: unknown
  /** The model that was asked last. */
  readonly model: ResolvedModel | undefined
  constructor(cause: unknown, partial: AssistantMessage, model?: ResolvedModel) {
    super(cause instanceof Error ? cause.message : String(cause))
    this.cause = cause
    this.partial = partial
    this.model = model
  }
}

/** What one call of a model took. */
export interface SpentCall {
  readonly model: ResolvedModel
  readonly usage: Usage
  readonly rateLimits?: KeyLimits
}

/** Who is told of what happens in a call. */
export interface AnswerListener {
  emit(event: TurnEvent): Promise<void> | undefined
  /** Told of each call that came to its end, those that answered nothing included, whatever becomes of the answer. */
  spend(call: SpentCall): Promise<void>
}

/** Answers with neither text nor calls that are asked for again. */
const maxEmptyRetries = 2

/**
 * Gets one answer: streams it as events, and recovers from what fails as `recoveryOf` says: waits, asks for less, goes on
 * with the next model. Empty answers are asked for again. All of it is bounded. Throws `AnswerError`; when `signal`
 * aborts, an `AnswerError` whose cause is the reason.
 */
export async function getAnswer(
  model: ResolvedModel,
  request: ModelRequest,
  listener: AnswerListener,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const call: Call = { model, request, failures: 0, empties: 0, hasShrunk: false, failed: [], listener, signal }
  while (true) {
    const draft = newDraft()
    try {
      await stream(call, draft)
    } catch (error) {
      await recover(call, draft, error)
      continue
    }
    const { usage, rateLimits } = draft
    if (usage) await listener.spend({ model: call.model, usage, ...(rateLimits && { rateLimits }) })
    const isEmpty = draft.text.trim() === '' && draft.calls.length === 0 && draft.finish !== 'content_filter'
    if (isEmpty && (await askAgain(call, draft))) continue
    return { message: asMessage(draft), finish: draft.finish, usage, model: call.model }
  }
}

/** A call under way, which may change its model. */
interface Call {
  model: ResolvedModel
  request: ModelRequest
  /** Failures of the model in a row. */
  failures: number
  empties: number
  hasShrunk: boolean
  /** What became of the models before, for people. */
  readonly failed: string[]
  readonly listener: AnswerListener
  readonly signal: AbortSignal
}

/** Makes the call fit for another attempt, or throws what it comes to. */
async function recover(call: Call, draft: Draft, error: unknown): Promise<void> {
  const { signal, model, request } = call
  const failure: unknown = signal.aborted ? signal.reason : error
  if (signal.aborted || !(failure instanceof ModelError)) throw new AnswerError(failure, asMessage(draft), model)
  call.failures++
  const { failures, hasShrunk } = call
  const { maxOutputTokens } = request
  const attempts = { failures, hasShrunk, maxOutputTokens, hasFallback: model.fallback !== undefined }
  try {
    if (await carryOut(recoveryOf(failure, attempts), failure, call, draft)) return
  } catch (reason) {
    if (signal.aborted) throw new AnswerError(signal.reason, asMessage(draft), model)
    throw reason
  }
  throw new AnswerError(withHistory(failure, call), asMessage(draft), model)
}

/** Resolves to whether there is something to try. */
async function carryOut(recovery: Recovery, failure: ModelError, call: Call, draft: Draft): Promise<boolean> {
  switch (recovery.type) {
    case 'shrink': {
      const { maxOutputTokens } = recovery
      await startAgain(call, draft, failure, `Asking for an answer of at most ${maxOutputTokens} tokens.`)
      call.request = { ...call.request, maxOutputTokens }
      call.hasShrunk = true
      return true
    }
    case 'wait': {
      const delayMs = retryDelayMs(failure, call.failures, Math.random)
      await startAgain(
        call,
        draft,
        failure,
        `Trying again in ${(delayMs / 1000).toFixed(1)} s (${call.failures} of ${maxRetries}).`,
      )
      await sleep(delayMs, call.signal)
      return true
    }
    case 'fall-back':
      return fallBack(call, draft, failure)
    case 'stop':
      return false
  }
}

async function fallBack(call: Call, draft: Draft, failure: ModelError): Promise<boolean> {
  const { model, request, signal, failed } = call
  const next = await model.fallback?.(signal)
  if (!next) return false
  const name = `${next.model} of ${next.provider.name}`
  await startAgain(call, draft, failure, `Going on with ${name} for this turn.`, 'fallback')
  failed.push(`${model.model} (${failure.code})`)
  // A limit that was the model's own is not the next one's.
  const isOwnLimit = request.maxOutputTokens === model.maxOutputTokens || call.hasShrunk
  const maxOutputTokens = isOwnLimit ? next.maxOutputTokens : request.maxOutputTokens
  call.model = next
  call.request = { ...request, model: next.model, maxOutputTokens }
  call.failures = 0
  call.empties = 0
  call.hasShrunk = false
  return true
}

/** An answer of nothing: the same model is asked again, then the next one. Resolves to whether one is asked. */
async function askAgain(call: Call, draft: Draft): Promise<boolean> {
  const nothing = new ModelError('malformed-stream', `${call.model.model} answered nothing.`)
  if (call.empties++ >= maxEmptyRetries) return fallBack(call, draft, nothing)
  await startAgain(call, draft, nothing, 'Asking again.', 'empty-answer')
  return true
}

/** Takes back what was shown, and says why and what comes now. */
async function startAgain(
  { listener }: Call,
  draft: Draft,
  failure: ModelError,
  next: string,
  code: string = failure.code,
): Promise<void> {
  if (draft.text !== '' || draft.reasoning !== '') await listener.emit({ type: 'answer-reset' })
  const level = code === 'empty-answer' ? 'info' : 'warning'
  await listener.emit({ type: 'notice', level, code, message: `${failure.message} ${next}` })
}

/** A failure with what was tried before it became final. */
function withHistory(failure: ModelError, { failures, failed, model }: Call): ModelError {
  const tried = failures > 1 ? ` It was tried ${failures} times.` : ''
  const others = failed.length > 0 ? ` Before it failed: ${failed.join(', ')}.` : ''
  const canHelp = failure.isTransient && !model.provider.isInterpreter
  const { status, retryAfterMs, outputRoom } = failure
  const when = retryAfterMs !== undefined && retryAfterMs >= 1000 ? `in ${duration(retryAfterMs)}` : 'later'
  const advice = canHelp ? ` Try again ${when}, or name other models in fallback_providers.` : ''
  const message = `${failure.message}${tried}${others}${advice}`
  return new ModelError(failure.code, message, { status, retryAfterMs, outputRoom, cause: failure })
}

/** An answer while it arrives. */
interface Draft {
  text: string
  reasoning: string
  readonly calls: ToolCall[]
  finish: FinishReason
  usage: Usage | undefined
  rateLimits: KeyLimits | undefined
  reasoningDetails: unknown
  codexReasoningItems: unknown
}

function newDraft(): Draft {
  return {
    text: '',
    reasoning: '',
    calls: [],
    finish: 'other',
    usage: undefined,
    rateLimits: undefined,
    reasoningDetails: undefined,
    codexReasoningItems: undefined,
  }
}

async function stream({ model, request, listener, signal }: Call, draft: Draft): Promise<void> {
  signal.throwIfAborted()
  let finished = false
  let length = 0
  for await (const event of model.provider.stream(request, signal)) {
    length += lengthOf(event)
    if (length > maxAnswerLength) throw tooLongAnswer(model)
    if (event.type === 'text-delta') {
      draft.text += event.text
      // Only a full queue is waited for: an `await` for nothing costs as much as the rest.
      const room = listener.emit({ type: 'text-delta', text: event.text })
      if (room) await room
    } else if (event.type === 'reasoning-delta') {
      draft.reasoning += event.text
      const room = listener.emit({ type: 'reasoning-delta', text: event.text })
      if (room) await room
    } else if (event.type === 'tool-call') draft.calls.push(event.call)
    else if (event.type === 'notice') {
      await listener.emit({ type: 'notice', level: 'warning', code: event.code, message: event.message })
    } else if (event.type === 'finish') {
      finished = true
      draft.finish = event.reason
      draft.usage = event.usage
      draft.rateLimits = event.rateLimits
      draft.reasoningDetails = event.reasoningDetails
      draft.codexReasoningItems = event.codexReasoningItems
    }
  }
  signal.throwIfAborted()
  if (!finished) throw new ModelError('malformed-stream', `${model.provider.name} ended its answer without saying so.`)
}

function lengthOf(event: ModelEvent): number {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text.length
  return event.type === 'tool-call' ? event.call.arguments.length : 0
}

function asMessage(draft: Draft): AssistantMessage {
  return {
    role: 'assistant',
    content: draft.text,
    toolCalls: draft.calls,
    finishReason: draft.finish,
    ...(draft.reasoning !== '' && { reasoning: draft.reasoning }),
    ...(draft.reasoningDetails !== undefined && { reasoningDetails: draft.reasoningDetails }),
    ...(draft.codexReasoningItems !== undefined && { codexReasoningItems: draft.codexReasoningItems }),
  }
}
